import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import {
  answerOf,
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  withRedundantLines,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld, type StepVerdict, type WorldVerdict } from './world.ts';

const HIGHEST = 8;
const params = z
  .strictObject({
    items: z
      .enum(['digits', 'numbers', 'letters'])
      .default('digits')
      .describe('Items to sort: digits, numbers from 0 to 99, or letters. Items may repeat.'),
    method: z
      .enum(['merge', 'insertion', 'none'])
      .default('merge')
      .describe(
        'Worked lines of a demonstration: halves that are merged, items inserted one by one, or none.',
      ),
    credit: z
      .enum(['all', 'share'])
      .default('all')
      .describe('Reward of an answer: 1 if all of it is right, or the share of the places that are right.'),
    ...workedFields(HIGHEST, 3, 2),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);
type Params = z.output<typeof params>;
type Items = readonly string[];

/**
 * Sort some items, smallest first: `sort 7 3 9?` → `7+3=3 7`, `3 7+9=3 7 9`, `#3 7 9`. Level L has L + 2
 * items.
 */
export const sorting = defineWorld({
  id: 'sorting',
  title: 'Sorting',
  summary: 'Digits, numbers or letters in order, worked by merging sorted runs; levels grow by one item.',
  params,
  build: (p) => {
    const sizes = sizesOf(p);
    const draws = drawItem[p.items];
    const answer = (lines: readonly string[]): string => lines.join('\n');
    return {
      alphabet: `${p.items === 'letters' ? letters : '0123456789sort'} ?+=#\n`,
      ...sizes,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        const items = Array.from({ length: level + 2 }, () => draws(draw));
        return {
          prompt: `sort ${items.join(' ')}?`,
          reference: inOrder(items).join(' '),
          meta: { items: items.length },
        };
      },
      verify: sortingVerifier(4 * sizes.maxTokens, p.credit === 'share'),
      demonstration: ({ prompt }, draw) => {
        const items = prompt.slice('sort '.length, -1).split(' ');
        const kind = kindOf(p, draw);
        if (kind === 'wrong') {
          const at = draw.int(p.method === 'none' ? 1 : items.length - 1);
          return {
            answer: answer(
              worked(items, p.method, (step, truth) => (step === at ? slipped(truth, draws, draw) : truth)),
            ),
            kind,
          };
        }
        const lines = worked(items, p.method);
        return {
          answer: answer(
            kind === 'right'
              ? lines
              : withRedundantLines(lines, (line) => [line, items.join(' ')], sizes.maxTokens - 1, draw),
          ),
          kind,
        };
      },
    };
  },
});

const letters = 'abcdefghijklmnopqrstuvwxyz';
const drawItem: { readonly [K in Params['items']]: (draw: RandomStream) => string } = {
  digits: (draw) => String(draw.int(10)),
  numbers: (draw) => String(draw.int(100)),
  letters: (draw) => letters[draw.int(letters.length)],
};

/** Digits sort before letters, numbers by value. */
const notAfter = (a: string, b: string): boolean =>
  /^\d/.test(a) && /^\d/.test(b) ? Number(a) <= Number(b) : a <= b;
const inOrder = (items: Items): string[] =>
  items.reduce<string[]>((sorted, item) => merged(sorted, [item]), []);

/**
 * The result of merging two runs, sorted or not: always the smaller of the two heads, the left one in a tie.
 */
const merged = (left: Items, rightRun: Items): string[] => {
  const out: string[] = [];
  let a = 0;
  let b = 0;
  while (a < left.length && b < rightRun.length)
    out.push(notAfter(left[a], rightRun[b]) ? left[a++] : rightRun[b++]);
  return [...out, ...left.slice(a), ...rightRun.slice(b)];
};

/** Split point of a run before its parts are sorted and merged: in the middle, or before its last item. */
const cutOf = (n: number, method: Params['method']): number =>
  method === 'merge' ? Math.ceil(n / 2) : n - 1;

/**
 * The lines of a worked answer, then the answer. `claim` may falsify the result of a merge (or, without
 * worked lines, the answer).
 */
const worked = (
  items: Items,
  method: Params['method'],
  claim: (step: number, truth: Items) => Items = (_, truth) => truth,
): string[] => {
  const lines: string[] = [];
  const sort = (run: Items): Items => {
    if (run.length < 2) return run;
    const cut = cutOf(run.length, method);
    const [left, rest] = [sort(run.slice(0, cut)), sort(run.slice(cut))];
    const result = claim(lines.length, merged(left, rest));
    lines.push(`${left.join(' ')}+${rest.join(' ')}=${result.join(' ')}`);
    return result;
  };
  if (method === 'none') return [`#${claim(0, inOrder(items)).join(' ')}`];
  const answer = sort(items);
  return [...lines, `#${answer.join(' ')}`];
};

/** Two neighbours swapped, one item replaced, or one lost: further merging repairs none of these. */
const slipped = (truth: Items, another: (draw: RandomStream) => string, draw: RandomStream): string[] => {
  const out = [...truth];
  const at = draw.int(out.length);
  const slip = draw.int(3);
  const uneven = out.findIndex((item, i) => i >= at - 1 && i + 1 < out.length && item !== out[i + 1]);
  if (slip === 0 && uneven >= 0) [out[uneven], out[uneven + 1]] = [out[uneven + 1], out[uneven]];
  else if (slip === 1) out.splice(at, 1);
  else while (out[at] === truth[at]) out[at] = another(draw);
  return out;
};

/**
 * Longest texts: merging m items of width w takes 2·m·(w + 1) characters with its line end. Redundant lines
 * get the room of one such merge.
 */
const sizesOf = (p: Params) => {
  const n = hardest(p) + 2;
  const wide = (p.items === 'numbers' ? 2 : 1) + 1;
  const linesOf = (m: number): number =>
    m < 2 ? 0 : 2 * m * wide + linesOf(cutOf(m, p.method)) + linesOf(m - cutOf(m, p.method));
  return {
    maxPromptTokens: 'sort ?'.length + n * wide - 1,
    maxTokens: (p.method === 'none' ? 0 : linesOf(n) + 2 * n * wide) + n * wide + 1,
  };
};

const ITEM = /^(?:\d|[1-9]\d|[a-z])$/;
const itemsIn = (text: string): string[] | null => {
  const items = text.split(' ');
  return items.every((item) => ITEM.test(item)) ? items : null;
};

/**
 * Checks `#3 7 9` exactly; the reward may be the share of right places. A worked line holds if its two runs
 * merge to the stated result, and follows if they are adjacent at that time.
 */
const sortingVerifier =
  (longest: number, isShared: boolean) =>
  (prompt: string, completion: string): WorldVerdict => {
    const items =
      prompt.length < 60 && prompt.startsWith('sort ') && prompt.endsWith('?')
        ? itemsIn(prompt.slice('sort '.length, -1))
        : null;
    if (!items) return NOT_A_PROBLEM;
    const given = answerOf(completion, longest);
    if ('correct' in given) return given;
    const steps = judgeSteps(items, given.lines);
    const answered = itemsIn(given.answer);
    if (!answered) return wrong('malformed answer', steps);
    const wanted = inOrder(items);
    if (answered.join(' ') === wanted.join(' ')) return right(steps);
    const isReordered = inOrder(answered).join(' ') === wanted.join(' ');
    const verdict = wrong(isReordered ? 'not in order' : 'not the same items', steps);
    const agreeing = wanted.filter((item, at) => item === answered[at]).length;
    return isShared ? { ...verdict, reward: agreeing / Math.max(wanted.length, answered.length) } : verdict;
  };

const judgeSteps = (items: Items, lines: readonly string[]): StepVerdict[] => {
  let runs: string[] = [...items];
  return lines.map((line) => {
    const [, a, b, claimed] = /^([^+=]+)\+([^+=]+)=([^+=]+)$/.exec(line) ?? [];
    const [left, rest, result] = [a, b, claimed].map((text) => (text === undefined ? null : itemsIn(text)));
    if (!left || !rest || !result) return { line, holds: false, follows: false };
    const at = runs.findIndex((run, i) => run === a && runs[i + 1] === b);
    if (at >= 0) runs = [...runs.slice(0, at), claimed, ...runs.slice(at + 2)];
    return { line, holds: merged(left, rest).join(' ') === claimed, follows: at >= 0 };
  });
};
