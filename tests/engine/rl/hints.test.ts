import { beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { balanceOf } from '../../../engine/rl/controllers/b-star.ts';
import { shared, worthOf } from '../../../engine/rl/controllers/knapsack.ts';
import { controllers } from '../../../engine/rl/controllers/index.ts';
import { imitated } from '../../../engine/rl/run/off-policy.ts';
import { SuccessRates, type Outcome } from '../../../engine/rl/controllers/outcomes.ts';
import type { Problem } from '../../../engine/rl/kernel/columns.ts';
import type { LiveController, TurnView } from '../../../engine/rl/kernel/control.ts';
import type { Table } from '../../../engine/rl/kernel/rows.ts';
import { stream } from '../../../engine/random/random.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { found, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const open = (id: string, params: object = {}): LiveController =>
  controllers.find((one) => one.id === id)!.open(params, { steps: 100, batch: 8 });
const turn: TurnView = { progress: 0, random: (purpose) => stream(1, purpose) };
const problem = (p: number, level?: number): Problem => ({
  promptId: `p${p}`,
  prompt: `p${p}`,
  reference: null,
  ...(level !== undefined && { level }),
});
const hinted = (item: Problem, share: number): Problem => ({ ...item, hint: { share, tokens: [] } });
const batch = (groups: readonly (readonly [item: Problem, rewards: readonly number[]])[]): Table => {
  const rows = groups.flatMap(([item, rewards], group) =>
    rewards.map((reward, at) => ({ item, group, reward, text: `${reward} ${at % 2}` })),
  );
  return {
    problem: rows.map(({ item }) => item),
    groupId: Float64Array.from(rows, ({ group }) => group),
    weight: new Float64Array(rows.length).fill(1),
    'reward/total': Float64Array.from(rows, ({ reward }) => reward),
    completion: rows.map(({ text }) => text),
  };
};

test('success rates: a prompt’s rate shrinks towards its level’s, a level’s towards one half', () => {
  const rates = new SuccessRates({ prior: 2, keep: 0.5 });
  const outcome = (item: Problem, answers: number, success: number): Outcome => ({
    problem: item,
    answers,
    success,
    flat: success === 0,
  });
  expect(rates.rate(problem(0, 1))).toBe(0.5);
  rates.observe([outcome(problem(0, 1), 4, 1), outcome(problem(1, 1), 4, 0)]);
  // level: (4 + 1) ⁄ (8 + 2) = ½; the prompts: (4 + 2·½) ⁄ (4 + 2) and 1 ⁄ 6
  expect([problem(0, 1), problem(1, 1), problem(2, 1)].map((one) => rates.rate(one))).toEqual(
    [5 / 6, 1 / 6, 0.5].map((x) => expect.closeTo(x, 12)),
  );
  rates.observe([outcome(problem(0, 1), 4, 0)]);
  // level: 8 · ½ + 4 = 8 answers, 4 · ½ + 0 = 2 successes → 3 ⁄ 10; prompt: 6 answers, 2 successes → (2 +
  // 0.6) ⁄ 8
  expect(rates.rate(problem(0, 1))).toBeCloseTo(2.6 / 8, 12);
});

test('knapsack: values computed by hand, and greedy allocation is optimal', () => {
  expect(worthOf(2, 0.5)).toBeCloseTo(0.5 * 0.125, 12);
  expect(worthOf(4, 0.25)).toBeCloseTo((1 - 0.25 ** 4 - 0.75 ** 4) * 0.25 * 0.75 ** 2, 12);
  const total = (rates: readonly number[], sizes: readonly number[]) =>
    rates.reduce((sum, p, at) => sum + worthOf(sizes[at], p), 0);
  for (const rates of [
    [0.5, 0.05, 0.9],
    [0.3, 0.3, 0.3],
    [0.01, 0.99, 0.4],
    [0.2, 0.6, 0.95],
  ]) {
    let best = 0;
    for (let a = 2; a <= 9; a++)
      for (let b = 2; b <= 9; b++) {
        const c = 15 - a - b;
        if (c >= 2 && c <= 9) best = Math.max(best, total(rates, [a, b, c]));
      }
    const sizes = shared(rates, 15, 2, 9);
    expect(sizes.reduce((a, b) => a + b, 0)).toBe(15);
    expect(total(rates, sizes)).toBeCloseTo(best, 12);
  }
  expect(shared([0.3, 0.3, 0.3], 12, 2, 9)).toEqual([4, 4, 4]);
});

test('knapsack: prompts that are certain to be solved get the fewest answers', () => {
  const knapsack = open('knapsack', { keep: 1 });
  for (let i = 0; i < 20; i++)
    knapsack.observe?.(
      batch([
        [problem(0), [1, 1, 1, 1]],
        [problem(1), [0, 1, 0, 0]],
      ]),
      {},
    );
  const sizes = knapsack.sizes?.([problem(0), problem(1)], 8, turn) ?? [];
  expect(sizes[0]).toBeLessThan(sizes[1]);
  expect(sizes[0] + sizes[1]).toBe(16);
});

test('pcl: one step of the regression computed by hand; selects the candidates nearest to the target', () => {
  const pcl = open('pcl', { rate: 1 });
  // all features 0: the prediction is ½, and the squares of p0's features sum to 3, so its log-odds become 3 · ½
  pcl.observe?.(batch([[problem(0, 1), [1, 1]]]), {});
  expect(pcl.metrics?.()).toEqual({ prediction_error: 0.5 });
  pcl.observe?.(batch([[problem(0, 1), [1, 1]]]), {});
  expect(pcl.metrics?.().prediction_error).toBeCloseTo(1 - 1 / (1 + Math.exp(-1.5)), 12);
  for (let i = 0; i < 60; i++)
    pcl.observe?.(
      batch([
        [problem(0, 1), [1, 1]],
        [problem(1, 2), [1, 0]],
        [problem(2, 3), [0, 0]],
        [problem(3, 2), [1, 0]],
      ]),
      {},
    );
  const chosen = pcl.choose?.([problem(0, 1), problem(1, 2), problem(2, 3), problem(3, 2)], 2, turn) ?? [];
  expect(chosen.map(({ promptId }) => promptId).sort()).toEqual(['p1', 'p3']);
});

test('b-star: the balance score computed by hand, each temperature tried once, then the best pair', () => {
  // prompt 0: rewards 1, 1, 1, 0: texts "1 0", "1 1", "1 0", "0 1"; prompt 1: none right
  const rows = batch([
    [problem(0), [1, 1, 1, 0]],
    [problem(1), [0, 0, 0, 0]],
  ]);
  // threshold 0: n = 4, n′ = 2 different: min(2/4, 1) · 2/4; threshold 1: n = 3: ½ · ⅔
  expect(balanceOf(rows, 0, 1, 4)).toBeCloseTo((0.5 * 0.5) / 2, 12);
  expect(balanceOf(rows, 1, 1, 4)).toBeCloseTo((0.5 * (2 / 3)) / 2, 12);
  const star = open('b-star', { temperatures: [0.5, 1], thresholds: [0, 1], wanted: 2, hold: 2 });
  const all = batch([[problem(0), [1, 1]]]);
  const none = batch([[problem(0), [0, 0]]]);
  const heats = [none, all, none, none, all].map((seen) => {
    const heat = star.temperature?.(turn);
    star.observe?.(seen, {});
    return heat;
  });
  // tried: 0.5, 1; then the better one, 1, is held for two steps; then tried again
  expect(heats).toEqual([0.5, 1, 1, 1, 0.5]);
});

test('b-star: gives imitated answers below the threshold weight 0, and keeps all answers that have credit', () => {
  const rows = batch([[problem(0), [1, 0, 0.5]]]);
  expect(imitated(rows, 0.5).weight).toEqual(Float64Array.of(1, 0, 1));
  expect(imitated(rows, 2)).toBe(rows);
  expect(imitated(rows, -Infinity)).toBe(rows);
  const credited = {
    ...rows,
    advantage: { axis: 'T' as const, values: new Float64Array(3), offsets: Uint32Array.of(0, 1, 2, 3) },
  };
  expect(imitated(credited, 0.5)).toBe(credited);
});

test('ghpo: a hint grows while no answer solves the prompt, and then shrinks', () => {
  const ghpo = open('ghpo', { step: 0.25, most: 0.75 });
  const play = (item: Problem, rewards: readonly number[]): number => {
    const [share] = ghpo.hints?.([item], turn) ?? [];
    ghpo.observe?.(batch([[hinted(item, share), rewards]]), {});
    return share;
  };
  const hard = problem(0, 3);
  expect(
    [
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [1, 0],
      [1, 1],
      [1, 1],
    ].map((rewards) => play(hard, rewards)),
  ).toEqual([0, 0.25, 0.5, 0.75, 0.75, 0.75, 0.5]);
  // a new prompt starts with the hint of its level; one of another level has none
  expect(ghpo.hints?.([problem(1, 3), problem(2, 1)], turn)).toEqual([0.25, 0]);
});

test('seele: the share at which σ(a + b · share) reaches the target, while learning a and b', () => {
  const seele = open('seele', { slope: 6, rate: 1, most: 0.9 });
  expect(seele.hints?.([problem(0)], turn)).toEqual([0]);
  // a = 0 and no hint: prediction ½, none solved it: a ← −½ · 3; b stays; share = 1.5 ⁄ 6
  seele.observe?.(batch([[hinted(problem(0), 0), [0, 0]]]), {});
  expect(seele.hints?.([problem(0)], turn)).toEqual([expect.closeTo(0.25, 12)]);
  // hint ¼: prediction ½ again; half solve it: nothing changes
  seele.observe?.(batch([[hinted(problem(0), 0.25), [1, 0]]]), {});
  expect(seele.hints?.([problem(0)], turn)).toEqual([expect.closeTo(0.25, 12)]);
  for (let i = 0; i < 20; i++) seele.observe?.(batch([[hinted(problem(0), 0.25), [0, 0]]]), {});
  expect(seele.hints?.([problem(0)], turn)).toEqual([0.9]);
});

test(
  'adds hints to prompts as a part of the worked answer, which is verified with the rest and never ' +
    'trained on',
  async () => {
    const spec = checkSpec({
      method: { id: 'grpo', params: { groupSize: 4 } },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy', params: { letters: 6, length: 3 } },
      controllers: [{ id: 'ghpo', params: { step: 0.5, most: 0.5 } }],
      rewards: [{ id: 'verifier', params: { value: 'correct' } }],
      optimizer: { learningRate: 0 },
      budget: { steps: 4, batch: 16 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 0 },
    });
    const seen = await runToy(device, spec);
    const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
    // copying three of six letters by chance is very unlikely, so from the second batch the hint has two of
    // the three
    const shown = rows.filter(({ step }) => step > 1);
    expect(found(seen, 'control/ghpo/level-0')).toBeGreaterThan(0.2);
    const helped = shown.filter(({ prompt, completion }) => completion.startsWith(prompt.slice(0, 2)));
    expect(helped.length).toBeGreaterThan(shown.length / 2);
  },
);
