/** Pairs made of sampled answers by their rewards, and fresh answers beside stored pairs. */
import type { RandomStream } from '../../random/random.ts';
import { appendRows, gatherTable, type Table } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { sampleNumbers } from './samplers.ts';

const groupsOf = (groupId_R: Float64Array): number[][] => [
  ...Map.groupBy(groupId_R.keys(), (r) => groupId_R[r]).values(),
];

/**
 * Of each group the answer with the highest reward, then the one with the lowest; groups whose rewards are
 * all equal are left out.
 */
export const bestAgainstWorst = stage({
  id: 'bestAgainstWorst',
  needs: ['groupId', 'reward/total'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R }) => ({
    columns: {},
    from_R: Uint32Array.from(
      groupsOf(groupId).flatMap((rows) => {
        const [best, worst] = [1, -1].map((sign) =>
          rows.reduce((found, r) => (sign * (rewards_R[r] - rewards_R[found]) > 0 ? r : found)),
        );
        return rewards_R[best] > rewards_R[worst] ? [best, worst] : [];
      }),
    ),
  }),
});

/** Puts the row with the higher reward first, two by two. */
export const betterFirst = stage({
  id: 'betterFirst',
  needs: ['reward/total'],
  adds: [],
  run: async ({ 'reward/total': rewards_R }) => ({
    columns: {},
    from_R: rewards_R.reduce((order, reward, r) => {
      order[r] = (r % 2 === 0 ? rewards_R[r + 1] > reward : reward > rewards_R[r - 1]) ? r ^ 1 : r;
      return order;
    }, new Uint32Array(rewards_R.length)),
  }),
});

/** Rows in twos as pairs, the better one first; equal rewards make a pair that weighs nothing. */
export const asPairs = stage({
  id: 'asPairs',
  needs: ['reward/total', 'weight'],
  adds: ['pairId', 'chosen', 'agreement', 'weight'],
  run: async ({ 'reward/total': rewards_R, weight }) => {
    const decided = (r: number) => rewards_R[r & ~1] > rewards_R[r | 1];
    return {
      columns: {
        pairId: rewards_R.map((_, r) => r >> 1),
        chosen: rewards_R.map((_, r) => 1 - (r & 1)),
        agreement: rewards_R.map((_, r) => (decided(r) ? 1 : 0.5)),
        weight: weight.map((w, r) => (decided(r) ? w : 0)),
      },
    };
  },
});

/**
 * Statistical rejection sampling without replacement (arXiv:2309.06657, algorithm 1): candidates pass with
 * probability exp((r − r_max) ⁄ β), r_max being the highest reward of those left, until `count` have. As
 * candidates grow many, what passes follows π_ref · exp(r ⁄ β).
 */
export const accepted = (
  rewards: ArrayLike<number>,
  { count, beta }: { readonly count: number; readonly beta: number },
  random: Pick<RandomStream, 'next'>,
): number[] => {
  let left = Array.from(rewards, (_, i) => i);
  const passed: number[] = [];
  while (passed.length < count && left.length > 0) {
    const top = Math.max(...left.map((i) => rewards[i]));
    const kept: number[] = [];
    for (const i of left) {
      if (passed.length < count && random.next() < Math.exp((rewards[i] - top) / beta)) passed.push(i);
      else kept.push(i);
    }
    left = kept;
  }
  return passed;
};

/** Each group's accepted answers, in the order in which they passed. */
export const rejectionSample = ({ count, beta }: { readonly count: number; readonly beta: number }) =>
  stage({
    id: `rejectionSample(${count}, ${beta})`,
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }, loop) => {
      const random = loop.random('rejection sampling');
      return {
        columns: {},
        from_R: Uint32Array.from(
          groupsOf(groupId).flatMap((rows) =>
            accepted(
              rows.map((r) => rewards_R[r]),
              { count, beta },
              random,
            ).map((i) => rows[i]),
          ),
        ),
      };
    },
  });

/**
 * Winner and loser of each match between neighbours; ties are no pairs, and the first one goes on.
 * `tournament`: winners meet until one is left.
 */
export const matches = (
  rewards: ArrayLike<number>,
  ranking: 'first-round' | 'tournament',
): (readonly [number, number])[] => {
  const pairs: (readonly [number, number])[] = [];
  for (let round = Array.from(rewards, (_, i) => i); round.length > 1;) {
    const winners: number[] = [];
    for (let at = 0; at < round.length; at += 2) {
      const [one, other] = [round[at], round[at + 1] ?? round[at]];
      const [better, worse] = rewards[other] > rewards[one] ? [other, one] : [one, other];
      if (rewards[better] > rewards[worse]) pairs.push([better, worse]);
      winners.push(better);
    }
    if (ranking === 'first-round') break;
    round = winners;
  }
  return pairs;
};

/** Pairs of each group by matches; a row may be in several. */
export const rankedPairs = ({ ranking }: { readonly ranking: 'first-round' | 'tournament' }) =>
  stage({
    id: `rankedPairs(${ranking})`,
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }) => ({
      columns: {},
      from_R: Uint32Array.from(
        groupsOf(groupId).flatMap((rows) =>
          matches(
            rows.map((r) => rewards_R[r]),
            ranking,
          ).flatMap((match) => match.map((i) => rows[i])),
        ),
      ),
    }),
  });

/** Rows of two tables in turn: `each` of the first, then as many of the second. */
const inTurn = (first: Table, second: Table, rows: number, each: number): Table =>
  gatherTable(
    appendRows(first, second),
    Uint32Array.from({ length: 2 * rows }, (_, at) => {
      const turn = Math.floor(at / (2 * each));
      const place = at % (2 * each);
      return place < each ? turn * each + place : rows + turn * each + place - each;
    }),
  );

/**
 * Each sampled answer is followed by one of the initial model to the same prompt; `row/initial` marks those.
 */
export const besideInitial = stage({
  id: 'besideInitial',
  needs: [
    'problem',
    'prompt',
    'sample',
    'tokens',
    'mask',
    'behaviorLogp',
    'completion',
    'ended',
    'model/initial',
  ],
  adds: ['sample', 'tokens', 'mask', 'behaviorLogp', 'completion', 'ended', 'row/initial'],
  run: async ({
    problem,
    prompt,
    sample,
    'model/initial': initial,
    tokens,
    mask,
    behaviorLogp,
    completion,
    ended,
  }) => {
    const rows = sample.length;
    const other = sample.map((number) => number + rows);
    const own: Table = {
      tokens,
      mask,
      behaviorLogp,
      completion,
      ended,
      sample,
      'row/initial': new Float64Array(rows),
    };
    const theirs = {
      ...(await initial.sample(prompt, problem, other)),
      sample: other,
      'row/initial': new Float64Array(rows).fill(1),
    };
    return {
      columns: inTurn(own, theirs, rows, 1) as never,
      from_R: Uint32Array.from({ length: 2 * rows }, (_, r) => r >> 1),
    };
  },
});

/**
 * Each stored pair is followed by two fresh answers to its prompt: they prefer nothing (weight 0), and
 * `row/fresh` marks them.
 */
export const freshBeside = stage({
  id: 'freshBeside',
  needs: ['promptId', 'problem', 'prompt', 'pairId', 'agreement', 'weight', 'tokens', 'mask'],
  adds: [
    'pairId',
    'agreement',
    'weight',
    'tokens',
    'mask',
    'sample',
    'behaviorLogp',
    'completion',
    'ended',
    'row/fresh',
  ],
  run: async ({ promptId, problem, prompt, pairId, agreement, weight, tokens, mask }, loop) => {
    const rows = pairId.length;
    const from_R = Uint32Array.from(
      { length: 2 * rows },
      (_, r) => 2 * Math.floor(r / 4) + (r % 4 < 2 ? r % 4 : 0),
    );
    const sample = sampleNumbers(promptId, 1);
    const stored: Table = {
      pairId,
      agreement,
      weight,
      tokens,
      mask,
      sample: new Float64Array(rows),
      completion: problem.map(() => ''),
      ended: new Float64Array(rows).fill(1),
      behaviorLogp: { ...mask, values: new Float32Array(mask.values.length) },
      'row/fresh': new Float64Array(rows),
    };
    const fresh: Table = {
      ...(await loop.sample(prompt, problem, sample)),
      pairId: pairId.map((id) => id + rows),
      agreement: new Float64Array(rows).fill(0.5),
      weight: new Float64Array(rows),
      sample,
      'row/fresh': new Float64Array(rows).fill(1),
    };
    return { columns: inTurn(stored, fresh, rows, 2) as never, from_R };
  },
});
