import * as z from 'zod';
import { hashFraction } from '../random/hash.ts';
import type { RandomStream } from '../random/random.ts';
import { REPLY_BEGINS, REPLY_ENDS, splitTranscript, type Transcript } from '../common/transcript.ts';
import { evaluate, parse } from './expression.ts';
import { played, replayed, type Turns } from './turns.ts';
import {
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld } from './world.ts';

const HIGHEST = 4;
const params = z
  .strictObject({
    errors: z
      .number()
      .min(0)
      .max(0.9)
      .default(0)
      .describe(
        'Share of calls to which a tool replies `error`, up to one more than things; a repeated call may work.',
      ),
    ...workedFields(HIGHEST, 2, 1),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);

/**
 * Enough things that the best constant answer about one thing is right for less than one held-out problem in
 * twenty: a prompt has one price.
 */
const things =
  `pen cup hat box map jug toy bag pan pot key fan lid mat net oar peg rod saw tie tub urn wig axe
  bed bin bow cap cot dye egg fig gem gum hoe ink jar kit log mop nut pie rug sax tin van yam zip`.split(
    /\s+/,
  );
const LONGEST_CALC = 40;
const PROMPT = /^cost of (\d [a-z]{3}(?:\+\d [a-z]{3}){0,3})\?$/;

interface Part {
  readonly count: number;
  readonly thing: string;
}
const partsOf = (prompt: string): Part[] | null => {
  const parts = PROMPT.exec(prompt)?.[1]
    .split('+')
    .map((part) => ({ count: Number(part[0]), thing: part.slice(2) }));
  return parts?.every(({ thing }) => things.includes(thing)) ? parts : null;
};
/** Price of a thing, 11 to 99; every prompt has its own prices, so that none can be memorized. */
const priceOf = (prompt: string, thing: string): number =>
  11 + Math.floor(hashFraction('tools', prompt, thing) * 89);
const costOf = (prompt: string, parts: readonly Part[]): number =>
  parts.reduce((sum, { count, thing }) => sum + count * priceOf(prompt, thing), 0);

/** A tool's reply to a call. */
const called = (prompt: string, turn: string): string => {
  const [, tool, given = ''] = /^(find|calc)\(([^()]*)\)$/.exec(turn) ?? [];
  if (tool === 'find') return things.includes(given) ? String(priceOf(prompt, given)) : 'not found';
  const expression = tool === 'calc' && given.length <= LONGEST_CALC ? parse(given) : null;
  return expression === null ? 'error' : String(evaluate(expression));
};

/**
 * A question that takes two tools: `cost of 3 pen+2 cup?` →
 * `find(pen)⟦12⟧find(cup)⟦20⟧calc(3*12+2*20)⟦76⟧answer 76`. Only `find` gives prices. Level L has L things.
 */
export const tools = defineWorld({
  id: 'tools',
  title: 'Two tools',
  summary:
    'Look prices up, have the total calculated, and answer: multi-turn calls of a look-up table ' +
    'and a calculator.',
  params,
  build: (p) => {
    const most = hardest(p);
    // room for calls that fail and are repeated
    const again = p.errors === 0 ? 0 : most + 1;
    const limit = 2 * most + 3 + again;
    const fails = (prompt: string, turns: readonly string[]): boolean => {
      const failed = turns.map(
        (turn, at) => hashFraction('tools', 'fails', prompt, String(at), turn) < p.errors,
      );
      return failed.at(-1) === true && failed.filter(Boolean).length <= again;
    };
    const talk: Turns = {
      limit,
      next: (prompt, turns) => {
        const turn = turns.at(-1) ?? '';
        return partsOf(prompt) === null || turn.startsWith('answer') || turns.length >= limit
          ? { done: true }
          : { reply: fails(prompt, turns) ? 'error' : called(prompt, turn) };
      },
    };
    // a `find` turn, its reply in marks, and the end token; then `calc` with a sum of products, and the
    // answer
    const calculation = 6 * most + 6 + 1 + 6;
    const maxTokens =
      (most + 1) * (9 + 1 + 4) + calculation + 'answer 1234'.length + 1 + again * (calculation + 1);
    return {
      alphabet: `abcdefghijklmnopqrstuvwxyz0123456789 +-*()?${REPLY_BEGINS}${REPLY_ENDS}`,
      maxPromptTokens: 'cost of ?'.length + 6 * most - 1,
      maxTokens,
      heldout: p.heldout,
      levels: levelsOf(p),
      turns: talk,
      problem: (level, draw) => {
        const chosen = distinct(level, draw);
        const prompt =
          'cost of ' +
          `${chosen.map((thing) => `${level === 1 ? 2 + draw.int(8) : 1 + draw.int(9)} ${thing}`).join('+')}?`;
        return { prompt, reference: String(costOf(prompt, partsOf(prompt) ?? [])), meta: { things: level } };
      },
      verify: (prompt, completion) => {
        const parts = partsOf(prompt);
        if (!parts) return NOT_A_PROBLEM;
        if (completion.length > 4 * maxTokens) return wrong('too long');
        const own = replayed(talk, prompt, completion);
        const last = own?.at(-1);
        if (!own || last === undefined) return wrong('not a talk with these tools');
        const [, given] = /^answer (\d{1,6})$/.exec(last) ?? [];
        const isRight = given === String(costOf(prompt, parts));
        return {
          ...(isRight ? right([]) : wrong(given === undefined ? 'no answer' : 'wrong answer')),
          turns: progressOf(prompt, parts, splitTranscript(completion), isRight),
        };
      },
      demonstration: ({ prompt, reference }, draw) => {
        const kind = kindOf(p, draw);
        const parts = partsOf(prompt) ?? [];
        const again = kind === 'rambling' ? [draw.pick(parts)] : [];
        const lookups = [...again, ...parts];
        const off = kind === 'wrong' ? (1 + draw.int(9)) * (draw.int(2) === 0 ? 1 : -1) : 0;
        const sum = parts.map(({ count, thing }) => `${count}*${priceOf(prompt, thing)}`).join('+');
        const script = [
          ...lookups.map(({ thing }) => `find(${thing})`),
          `calc(${sum})`,
          `answer ${Number(reference) + off}`,
        ];
        return { answer: played(talk, prompt, (replies) => script[succeeded(replies)] ?? null), kind };
      },
    };
  },
});

/** Calls that a tool has answered: one that failed is made again. */
const succeeded = (replies: readonly string[]): number => replies.filter((reply) => reply !== 'error').length;

/**
 * Equal shares for the first look-up of each thing, for the first calculation of the right sum, and for the
 * right answer.
 */
const progressOf = (
  prompt: string,
  parts: readonly Part[],
  { turns, replies }: Transcript,
  isRight: boolean,
): readonly number[] => {
  const share = 1 / (parts.length + 2);
  const wanted = new Set([...parts.map(({ thing }) => `find(${thing})`), 'calc']);
  return turns.map((turn, at) => {
    if (at === turns.length - 1 && isRight) return share;
    const step = turn.startsWith('calc') ? 'calc' : turn;
    const works = step !== 'calc' || replies[at] === String(costOf(prompt, parts));
    return at < replies.length && replies[at] !== 'error' && works && wanted.delete(step) ? share : 0;
  });
};

const distinct = (count: number, draw: RandomStream): string[] => {
  const left = [...things];
  return Array.from({ length: count }, () => left.splice(draw.int(left.length), 1)[0]);
};
