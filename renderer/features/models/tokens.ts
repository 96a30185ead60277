import type { TriedPrompt } from '../../../engine/schema/tried-prompt.ts';
import { number, rate } from '../../lib/format.ts';

export type Token = TriedPrompt['tokens'][number];

/** Consecutive tokens by one author, each with its index in the answer. */
export interface Turn {
  readonly by: Token['by'];
  readonly tokens: { readonly at: number; readonly each: Token }[];
}

export const probability = (logp: number): number => Math.exp(Math.min(0, logp));

/** A token within the answer, with visible line ends and tabs. */
export const shown = ({ text, ends }: Token): string =>
  ends ? 'end' : text === '' ? '·' : text.replace(/\n/g, '↵\n').replace(/\t/g, '⇥');

/** A token by itself, quoted. */
export const quoted = ({ text, ends }: Token): string =>
  ends ? 'end of the answer' : text === '' ? 'part of a character' : JSON.stringify(text);

/** Describes a token with its probability. */
export const describeToken = (token: Token): string =>
  token.by === 'world'
    ? `${quoted(token)}: the world’s reply`
    : `${quoted(token)}: p ${rate(probability(token.logp))}, log-probability ${number(token.logp)}`;

/** Splits an answer's tokens into turns of the model and replies of the world. */
export const turnsOf = (tokens: readonly Token[]): readonly Turn[] =>
  tokens.reduce<Turn[]>((turns, each, at) => {
    const last = turns.at(-1);
    if (last?.by === each.by) last.tokens.push({ at, each });
    else turns.push({ by: each.by, tokens: [{ at, each }] });
    return turns;
  }, []);
