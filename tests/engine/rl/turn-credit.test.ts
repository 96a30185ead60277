import { describe, expect, test } from 'vitest';
import { openControl } from '../../../engine/rl/controllers/index.ts';
import { risenTo } from '../../../engine/rl/controllers/zerosearch.ts';
import type { PerToken, Problem } from '../../../engine/rl/kernel/columns.ts';
import type { RewardStack } from '../../../engine/rl/kernel/reward-stack.ts';
import { ragged, rowOf, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { openStack } from '../../../engine/rewards/stack.ts';
import { stream } from '../../../engine/random/random.ts';
import { openWorldById, played } from '../../../engine/worlds/index.ts';
import { runPart } from '../../support/run-part.ts';

/** Two answers: a prompt, two turns around a reply of the world, or one turn. */
const mask = ragged(
  [
    [0, 1, 1, 0, 0, 1],
    [0, 1, 1],
  ],
  Uint8Array,
);
const stepEnd = ragged(
  [
    [0, 0, 1, 0, 0, 1],
    [0, 0, 1],
  ],
  Uint8Array,
);
/** What a head gives after each token. */
const outputs = ragged(
  [
    [0.5, 9, 0.75, 9, 0.25, 1],
    [-1, 9, 2],
  ],
  Float32Array,
);
const table: Table = {
  tokens: ragged([6, 3], Int32Array, (n) => Array.from({ length: n }, (_, t) => t)),
  mask,
  stepEnd,
  problem: [0, 1].map((r) => ({ promptId: `${r}`, prompt: 'q', reference: null })),
  weight: Float64Array.of(1, 1),
  'reward/total': Float64Array.of(2, 1),
  'credit/earned': ragged(
    [
      [0, 0, 0.5, 0, 0, 1.5],
      [0, 0, 1],
    ],
    Float64Array,
  ),
};
const head = { verdicts: async () => outputs, scores: async () => Float64Array.of(10, 20, 30) };
const rowsOf = (column: unknown): number[][] =>
  [0, 1].map((r) => [...rowOf(column as PerToken<Float64Array>, r)]);

describe('credit of turns', () => {
  test('ArCHer credits each token of a turn with Q after it minus V before it', async () => {
    const made = await runPart(part.turnAdvantages({ by: 'critic' }), table, {
      ports: { 'model/critic': head },
    });
    expect(rowsOf(made.advantage)).toEqual([
      [0, 0.25, 0.25, 0, 0, 0.75],
      [0, 3, 3],
    ]);
  });

  test('ArCHer’s targets are reward + γ · V of the next state, and Q of a fresh turn of the policy', async () => {
    const asked: { lengths: number[]; how: unknown }[] = [];
    const actor = {
      sample: async (
        prompts: PerToken<Int32Array>,
        _p: readonly Problem[],
        _s: Float64Array,
        how: unknown,
      ) => {
        asked.push({ lengths: [0, 1, 2].map((r) => rowOf(prompts, r).length), how });
        return { tokens: prompts };
      },
    };
    const made = await runPart(
      part.turnTargets({ critic: 'critic', actor: 'policy', gamma: 0.5, step: 'turn' }),
      table,
      { ports: { 'model/critic': head, 'model/policy': actor }, text: { context: 20 } as never },
    );
    // the state before the second turn is worth .25, and nothing follows the last turns
    expect(rowsOf(made['credit/action'])).toEqual([
      [0, 0, 0.5 + 0.5 * 0.25, 0, 0, 1.5],
      [0, 0, 1],
    ]);
    expect(rowsOf(made['credit/state'])).toEqual([
      [0, 10, 0, 0, 0, 20],
      [0, 30, 0],
    ]);
    expect(asked).toEqual([{ lengths: [1, 5, 1], how: { turns: undefined, limits: [19, 15, 19] } }]);
  });

  test('SPA-RL splits the reward into contributions that sum to it, and keeps a share where it was', async () => {
    const split = (share: number) =>
      runPart(part.splitReward({ by: 'estimator', share }), table, { ports: { 'model/estimator': head } });
    // contributions .75 and 1 of 2: the last step gets the missing .25 too; 2 of 1: one less
    expect(rowsOf((await split(1))['credit/earned'])).toEqual([
      [0, 0, 0.75, 0, 0, 1.25],
      [0, 0, 1],
    ]);
    const half = rowsOf((await split(0.5))['credit/earned']);
    expect(half[0]).toEqual([0, 0, 0.25 + 0.375, 0, 0, 0.75 + 0.625]);
    half.forEach((row, r) =>
      expect(row.reduce((a, b) => a + b)).toBeCloseTo((table['reward/total'] as Float64Array)[r], 12),
    );
  });

  test('SPA-RL leaves the reward at the end while its estimator says nothing, and a step’s return owes nothing to it', async () => {
    const split = async (said: PerToken<Float32Array>) => {
      const made = await runPart(part.splitReward({ by: 'estimator', share: 1 }), atEnd, {
        ports: { 'model/estimator': { verdicts: async () => said } },
      });
      return rowsOf(made['credit/earned']);
    };
    const earned = ragged(
      [
        [0, 0, 0, 0, 0, 2],
        [0, 0, 1],
      ],
      Float64Array,
    );
    const atEnd = { ...table, 'credit/earned': earned };
    expect(await split({ ...outputs, values: new Float32Array(9) })).toEqual(rowsOf(earned));
    // whatever is said of the second turn, its return is the reward less what the first one earned
    for (const wrong of [-3, 0, 1, 8]) {
      const values = outputs.values.slice();
      values[5] = wrong;
      expect((await split({ ...outputs, values }))[0]).toEqual([0, 0, 0.75, 0, 0, 1.25]);
    }
  });

  test('DigiRL imitates the turns above the bar, of answers that were news', async () => {
    const logit = (p: number) => Math.log(p / (1 - p));
    const values = ragged(
      [
        [0, logit(0.5), 0, 0, 0, logit(0.9)],
        [0, logit(0.8), 0],
      ],
      Float32Array,
    );
    const given = { ...table, values, 'reward/total': Float64Array.of(1, 0) };
    // first turn: ½ · 1 + ½ · (.9 − .5) = .7, bar .6; last turns: their outcomes, 1 and 0
    const marked = await runPart(part.turnsAboveBar({ lambda: 0.5, bar: 1.2 }), given);
    expect(rowsOf(marked.advantage)).toEqual([
      [0, 1, 1, 0, 0, 1],
      [0, 0, 0],
    ]);
    const strict = await runPart(part.turnsAboveBar({ lambda: 0.5, bar: 1.5 }), given);
    expect(rowsOf(strict.advantage)[0]).toEqual([0, 0, 0, 0, 0, 1]);
    // news: 1 − .5 against 1 − .8
    const both = { ...marked, 'reward/total': Float64Array.of(1, 1), advantage: { ...marked.advantage } };
    const kept = await runPart(part.onlySurprising({ share: 0.5 }), {
      ...both,
      advantage: ragged(
        [
          [0, 1, 1, 0, 0, 1],
          [0, 1, 1],
        ],
        Float64Array,
      ),
    });
    expect(rowsOf(kept.advantage)).toEqual([
      [0, 1, 1, 0, 0, 1],
      [0, 0, 0],
    ]);
  });

  test('SLIM adds the advantages of each reward, normalized apart, whatever their scales', async () => {
    const stack: RewardStack<'total'> = {
      id: 'total',
      scorers: ['one', 'large', 'flat'],
      weights: [1, -100, 1],
      empty: false,
      score: async () => {
        throw new Error('not needed here');
      },
    };
    const apart = (counts: 'alike' | 'weight') =>
      runPart(
        part.advantagesApart(stack, { by: 'critic', counts }),
        {
          ...table,
          prompt: ragged([[0], [0]], Int32Array),
          'row/attribute-0': Float64Array.of(1, 0),
          'row/attribute-1': Float64Array.of(500, 300),
          'row/attribute-2': Float64Array.of(1, 1),
        },
        {
          // values of each prompt: one, large, flat
          ports: { 'model/critic': { scores: async () => Float64Array.of(0.5, 0, 7, 0.5, 0, 9) } },
        },
      );
    // ±1 by the first, ∓1 by the second; the critic's error about a constant reward does not count
    const alike = rowsOf((await apart('alike')).advantage);
    alike.flat().forEach((a) => expect(a).toBeCloseTo(0, 6));
    const weighed = rowsOf((await apart('weight')).advantage);
    expect(weighed[0][1]).toBeCloseTo(1 - 100, 4);
    expect(weighed[1][1]).toBeCloseTo(100 - 1, 4);
    expect(weighed[0][3]).toBe(0);
  });

  test('SSRL leaves what the model wrote between the marks out of training', async () => {
    const text = { end: 0, decode: (ids: number[]) => ids.map((id) => ' ab[]xy'[id]).join('') } as never;
    const tokens = ragged(
      [
        [1, 3, 1, 2, 4, 5, 0],
        [1, 3, 5, 6, 0, 0, 0],
      ],
      Int32Array,
    );
    const made = await runPart(
      part.withoutQuoted({ opens: '[', closes: ']' }),
      { tokens, mask: ragged([Array(7).fill(1), [0, 1, 1, 1, 1, 0, 0]], Uint8Array) },
      { text },
    );
    // a[ab]x and its end; a result that is never closed
    expect(rowsOf(made.mask)).toEqual([
      [1, 1, 0, 0, 1, 1, 1],
      [0, 1, 0, 0, 1, 0, 0],
    ]);
  });
});

describe('rewards of turns', () => {
  const lookup = openWorldById('lookup', { judged: true, noise: 0.9 });
  const problems = Array.from({ length: 60 }, (_, i) => lookup.problem('train', i, 1));
  const query = (prompt: string) => prompt.replace(' of', '').replace('?', '');
  /** Searches and keeps or drops by `judge`, until it keeps. */
  const agent = (prompt: string, judge: (document: string) => 'keep' | 'drop') => {
    let kept = '';
    return played(lookup.turns as never, prompt, (replies) => {
      const newest = replies.at(-1) ?? '';
      if (replies.length % 2 === 1) {
        if (judge(newest) === 'keep') kept = newest;
        return judge(newest);
      }
      return kept === '' ? query(prompt) : `answer ${kept.slice(-3)}`;
    });
  };
  const row = (prompt: string, completion: string) => ({
    promptId: '0',
    prompt,
    completion,
    tokens: completion.length,
    stopReason: 'end' as const,
  });

  test('ReSeek: a judged search earns for right judgements only, and recovers from misleading documents', async () => {
    const { score } = await openStack(
      [
        { id: 'retrieval-judgements', weight: 1, params: {} },
        { id: 'verifier', weight: 1, params: {} },
      ],
      { world: lookup },
    );
    const careful = problems.map(({ prompt }) =>
      row(
        prompt,
        agent(prompt, (document) => (document.startsWith(query(prompt)) ? 'keep' : 'drop')),
      ),
    );
    const trusting = problems.map(({ prompt }) =>
      row(
        prompt,
        agent(prompt, () => 'keep'),
      ),
    );
    const [good, bad] = [await score(careful), await score(trusting)];
    expect([...good.raw.verifier].every((value) => value === 1)).toBe(true);
    expect([...good.raw['retrieval-judgements']].every((value) => Math.abs(value - 1) < 1e-12)).toBe(true);
    // nine in ten first documents mislead
    const share = (values: Float64Array) => values.reduce((a, b) => a + b, 0) / values.length;
    expect(share(bad.raw.verifier)).toBeLessThan(0.3);
    expect(share(bad.raw['retrieval-judgements'])).toBeLessThan(-0.4);
    // a search, its judgement, one more of each, the answer
    const at = careful.findIndex(({ completion }) => completion.includes('drop'));
    const turns = good.turns;
    expect([...(turns?.values.subarray(turns.offsets[at], turns.offsets[at + 1]) ?? [])]).toEqual([
      0, 0.5, 0, 0.5, 0,
    ]);
  });

  test('reach the last token of each turn, and what has no turns the last token of the answer', async () => {
    const stack: RewardStack<'total'> = {
      id: 'total',
      scorers: ['progress'],
      empty: false,
      score: async () => ({
        value: Float64Array.of(1.75, 1),
        raw: {},
        turns: { values: Float64Array.of(0.5, 0.25, 1), offsets: Uint32Array.of(0, 2, 3) },
      }),
    };
    const made = await runPart(
      part.score(stack),
      { ...table, completion: ['a⟦b⟧c', 'a'], ended: Float64Array.of(1, 1), groupId: Float64Array.of(0, 1) },
      { text: { decode: () => 'x' } as never },
    );
    expect(rowsOf(made['credit/earned'])).toEqual([
      [0, 0, 0.5, 0, 0, 1.25],
      [0, 0, 1],
    ]);
  });

  test.each(['grid', 'tools', 'lookup'])('progress in %s is 1 for a right demonstration', async (id) => {
    const world = openWorldById(id, { wrong: 0, rambling: 0 });
    const rows = Array.from({ length: 40 }, (_, i) => world.demonstration(i, 2)).map(({ prompt, answer }) =>
      row(prompt, answer),
    );
    const { score } = await openStack([{ id: 'progress', weight: 2, params: {} }], { world });
    const { total, turns } = await score(rows);
    total.forEach((value) => expect(value).toBeCloseTo(2, 9));
    expect(turns?.values.length).toBeGreaterThan(2 * rows.length);
    expect(world.verify(rows[0].prompt, 'nonsense').turns ?? [0]).toEqual([0]);
  });
});

test('ZeroSearch raises the share of misleading documents by its formula', () => {
  const course = { start: 0.25, end: 0.75, base: 4 };
  expect(risenTo(0, course)).toBe(0.25);
  expect(risenTo(0.5, course)).toBeCloseTo(0.25 + 0.5 / 3, 12);
  expect(risenTo(1, course)).toBeCloseTo(0.75, 12);
  expect(risenTo(0.5, { ...course, base: 1 })).toBeCloseTo(0.5, 12);
  const world = openWorldById('lookup', { levels: 4, noise: 0.8 });
  const control = openControl([{ id: 'zerosearch', params: { ...course, levels: 4 } }], {
    steps: 10,
    batch: 200,
  });
  const candidates = Array.from({ length: 1600 }, (_, i) => world.problem('train', i, 3));
  const meanLevel = (progress: number) => {
    const chosen = control.choose(candidates, 200, { progress, random: (purpose) => stream(1, purpose) });
    expect(new Set(chosen.map(({ promptId }) => promptId)).size).toBeGreaterThan(150);
    return chosen.reduce((sum, { level = 0 }) => sum + level, 0) / 200;
  };
  expect(meanLevel(0)).toBe(1);
  expect(meanLevel(0.5)).toBeCloseTo(4 * (0.25 + 0.5 / 3), 1);
  expect(meanLevel(1)).toBe(3);
  // the level is the noise that its documents have
  const misled = (level: number) => {
    const own = candidates.filter((one) => one.level === level);
    const first = own.map(({ prompt }) => {
      const query = prompt.replace(' of', '').replace('?', '');
      const outcome = world.turns?.next(prompt, [query]);
      return outcome && 'reply' in outcome && !outcome.reply.startsWith(query);
    });
    return first.filter(Boolean).length / own.length;
  };
  expect(misled(1)).toBeCloseTo(0.2, 1);
  expect(misled(4)).toBeCloseTo(0.8, 1);
});
