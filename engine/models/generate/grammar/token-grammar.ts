/** Holds answers to a grammar: forbids every token after which no text of the grammar remains. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { Tokenizer } from '../../../text/tokenizer.ts';
import { masked } from '../../blocks/attention.ts';
import type { LogitsHook, RowInProgress } from '../hooks.ts';
import { Automaton, type State } from './automaton.ts';
import { patternOf, type Pattern, type Range } from './pattern.ts';
import { schemaPattern } from './schema.ts';

/** A regular expression of whole answers, or a JSON Schema that they fit. */
export type Grammar =
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'json-schema'; readonly schema: { readonly [keyword: string]: unknown } };

const fieldOf = ({ kind }: Grammar, where: string): string =>
  `${where}.${kind === 'pattern' ? 'pattern' : 'schema'}`;

const patternOfGrammar = (grammar: Grammar, where: string): Pattern =>
  grammar.kind === 'pattern'
    ? patternOf(grammar.pattern, fieldOf(grammar, where))
    : schemaPattern(grammar.schema, fieldOf(grammar, where));

const admitsNothing = (grammar: Grammar, where: string, message: string, hint?: string): WhetstoneError =>
  new WhetstoneError('invalid-input', message, { where: fieldOf(grammar, where), hint });

/** Throws `invalid-input` with the path of the field for a grammar that no text fits. */
export const checkGrammar = (grammar: Grammar, where: string): void => {
  const any = (ranges: readonly Range[]) => ranges.length > 0;
  if (!new Automaton(patternOfGrammar(grammar, where), any, fieldOf(grammar, where)).start)
    throw admitsNothing(grammar, where, 'The grammar admits nothing: no text fits it.');
};

/** The text that each token adds after others; undefined for special tokens and parts of characters. */
const tokenTexts = (tokenizer: Tokenizer): (readonly number[] | undefined)[] => {
  const texts = Array.from({ length: tokenizer.vocabulary }, (_, id) => tokenizer.decode([id]));
  const clean = (text: string) => text !== '' && !text.includes('\ufffd');
  // some tokenizers drop a space at the beginning of a text, so each token is read after another one
  const anchor = texts.findIndex(
    (text, id) => clean(text) && text.trim() === text && !tokenizer.ends.includes(id),
  );
  if (anchor < 0) return texts.map(() => undefined);
  return texts.map((_, id) => {
    const both = tokenizer.decode([anchor, id]);
    const added = both.slice(texts[anchor].length);
    return both.startsWith(texts[anchor]) && clean(added) && !tokenizer.ends.includes(id)
      ? [...added].map((character) => character.codePointAt(0) ?? 0)
      : undefined;
  });
};

/** The tokens that may follow a state, and the state after each. */
interface Following {
  readonly tokens: readonly number[];
  readonly to: readonly State[];
}

export class TokenGrammar implements LogitsHook {
  readonly #automaton: Automaton;
  readonly #start: State;
  readonly #texts: readonly (readonly number[] | undefined)[];
  readonly #ends: readonly number[];
  readonly #following = new Map<State, Following>();
  readonly #states = new WeakMap<RowInProgress, { read: number; state: State }>();

  /**
   * Throws `invalid-input` with the path of the field if no text fits, or none that the tokenizer can write
   * in `maxTokens` tokens, end included.
   */
  constructor(
    grammar: Grammar,
    tokenizer: Tokenizer,
    { maxTokens, where }: { maxTokens: number; where: string },
  ) {
    this.#texts = tokenTexts(tokenizer);
    this.#ends = tokenizer.ends;
    const single = new Set(this.#texts.flatMap((text) => (text?.length === 1 ? text : [])));
    const spells = (ranges: readonly Range[]) =>
      [...single].some((character) => ranges.some(([low, high]) => character >= low && character <= high));
    this.#automaton = new Automaton(patternOfGrammar(grammar, where), spells, fieldOf(grammar, where));
    const { start } = this.#automaton;
    if (!start)
      throw admitsNothing(
        grammar,
        where,
        'The grammar admits nothing that the model’s tokenizer can write.',
        'Use characters of the task, or a tokenizer of bytes.',
      );
    if (start.distance + 1 > maxTokens)
      throw admitsNothing(
        grammar,
        where,
        `The shortest text of the grammar takes ${start.distance + 1} tokens, its end included; an answer ` +
          `has at most ${maxTokens}.`,
        'Allow longer answers (sampling.maxTokens).',
      );
    this.#start = start;
  }

  /**
   * Forbids tokens after which the answer could not fit any more, or could not end within its length; an end
   * is allowed where the text may end.
   */
  add(row: RowInProgress, bias_V: Float32Array): void {
    const state = this.#stateOf(row);
    const left = row.limit - row.made.length;
    const { tokens, to } = this.#after(state);
    const inTime = (next: State) => next.distance + 2 <= left;
    // a row whose prompt leaves too little room still begins a text of the grammar
    const isLate = !state.accepts && !to.some(inTime);
    const allowed = new Uint8Array(bias_V.length);
    tokens.forEach((token, at) => {
      if (isLate || inTime(to[at])) allowed[token] = 1;
    });
    if (state.accepts) for (const end of this.#ends) allowed[end] = 1;
    for (let v = 0; v < bias_V.length; v++) if (!allowed[v]) bias_V[v] += masked;
  }

  #stateOf(row: RowInProgress): State {
    const known = this.#states.get(row) ?? { read: 0, state: this.#start };
    for (; known.read < row.made.length; known.read++)
      known.state = this.#read(known.state, row.made[known.read]) ?? this.#start;
    this.#states.set(row, known);
    return known.state;
  }

  #read(state: State, token: number): State | undefined {
    return this.#texts[token]?.reduce<State | undefined>(
      (at, character) => at && this.#automaton.after(at, character),
      state,
    );
  }

  #after(state: State): Following {
    const known = this.#following.get(state);
    if (known) return known;
    const found = this.#texts.flatMap((text, token) => {
      const to = text && this.#read(state, token);
      return to ? [{ token, to }] : [];
    });
    const following = { tokens: found.map(({ token }) => token), to: found.map(({ to }) => to) };
    this.#following.set(state, following);
    return following;
  }
}
