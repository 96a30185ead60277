import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildLoss, type Objective } from '../../../engine/rl/kernel/objective.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { decided, gradedByVerdict } from '../../../engine/rl/tasks/decisions.ts';
import { loadTaskData } from '../../../engine/rl/tasks/load-task-data.ts';
import type { Preference } from '../../../engine/schema/preference.ts';
import { RunSpec } from '../../../engine/schema/run-spec.ts';
import { evaluate, input, type Expr } from '../../../engine/tensor/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lossAndGradient } from '../../support/objective-oracle.ts';
import { noSteps } from '../../support/no-steps.ts';

/**
 * Scores of three pairs, chosen first: differences 2, −1 and 0.5; weights 1, ¼ and ½; strengths 3, 1 and 2.
 */
const scores = [1.5, -0.5, 0, 1, 0.5, 0];
const twice = (values: readonly number[]) => Float64Array.from(values.flatMap((v) => [v, v]));
const table: Table = {
  tokens: ragged([1, 1, 1, 1, 1, 1], Int32Array, (n) => new Int32Array(n)),
  pairId: twice([0, 1, 2]),
  chosen: Float64Array.of(1, 0, 1, 0, 1, 0),
  agreement: twice([1, 1, 1]),
  weight: twice([1, 0.25, 0.5]),
  'row/strength': twice([3, 1, 2]),
};

/** The loss of an objective on the pairs, in float64. */
const lossOf = (objective: Objective): number => {
  const score = input('score', { dtype: 'float32', shape: [6] });
  const feeds: Record<string, Float64Array> = { score: Float64Array.from(scores) };
  const prepared = objective.terms[0].prepare(table, { maxTokens: 1 });
  const inputs = (): { [name: string]: Expr } =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'tokens') return score;
          feeds[String(name)] = (prepared[String(name)] ?? table[String(name)]) as Float64Array;
          return input(String(name), { dtype: 'float32', shape: [6] });
        },
      },
    );
  const same = () => score;
  const learner = {
    logp: same,
    entropy: same,
    meanLogp: same,
    ofLogits: same,
    against: same,
    width: 0,
    shiftedLogp: same,
    score: same,
    features: same,
    step: noSteps,
    bonus: noSteps,
    values: same,
    verdicts: same,
  };
  return evaluate([buildLoss(objective, inputs, learner).loss], feeds)[0].data[0];
};
/** −log σ(x). */
const surprise = (x: number): number => Math.log1p(Math.exp(-x));

describe('pairs with weights', () => {
  test('have in Bradley–Terry’s loss the weighted mean of −log σ(Δ)', () => {
    const byHand = (1 * surprise(2) + 0.25 * surprise(-1) + 0.5 * surprise(0.5)) / 1.75;
    expect(lossOf(part.bradleyTerry)).toBeCloseTo(byHand, 12);
    expect(byHand).toBeCloseTo(0.39559, 6);
  });

  test('have margins of ⅓, ⅔ and all of m by strength, and all of it otherwise', () => {
    const [m, weights] = [0.9, [1, 0.25, 0.5]];
    const mean = (gaps: readonly number[]): number =>
      [2, -1, 0.5].reduce((sum, delta, at) => sum + weights[at] * surprise(delta - gaps[at]), 0) / 1.75;
    expect(lossOf(part.marginEntropy({ margin: m, byStrength: true }))).toBeCloseTo(
      mean([m, m / 3, (2 * m) / 3]),
      12,
    );
    expect(lossOf(part.marginEntropy({ margin: m }))).toBeCloseTo(mean([m, m, m]), 12);
  });

  test('have in DPO’s loss the weighted mean of −log σ(β·margin), and gradients in proportion', () => {
    const logp = [[-1], [-3], [-2], [-1]];
    const oracle = { lengths: [1, 1, 1, 1], logp, cases: {} };
    const rows: Table = {
      tokens: ragged([1, 1, 1, 1], Int32Array, (n) => new Int32Array(n)),
      mask: ragged([1, 1, 1, 1], Uint8Array, () => [1]),
      pairId: twice([0, 1]),
      chosen: Float64Array.of(1, 0, 1, 0),
      agreement: twice([1, 1]),
      weight: twice([0.9, 0.3]),
      'logp/initial': ragged([[-2], [-2], [-2], [-2]], Float32Array),
    };
    const { loss, gradient } = lossAndGradient(part.logisticMargin({ beta: 0.5 }), rows, oracle);
    const [first, second] = [0.5 * (1 - -1), 0.5 * (0 - 1)];
    expect(loss).toBeCloseTo((0.9 * surprise(first) + 0.3 * surprise(second)) / 1.2, 12);
    const slope = (margin: number, weight: number): number => (-0.5 * weight) / 1.2 / (1 + Math.exp(margin));
    expect(gradient[0]).toBeCloseTo(slope(first, 0.9), 12);
    expect(gradient[2]).toBeCloseTo(slope(second, 0.3), 12);
  });
});

describe('a soft label C (CREAM)', () => {
  test('weighs both orders of a pair: C · DPO(best, worst) + (1 − C) · DPO(worst, best), either way round', () => {
    const oracle = { lengths: [1, 1], logp: [[-1], [-3]], cases: {} };
    const rows = (agreement: number, order: readonly number[]): Table => ({
      tokens: ragged([1, 1], Int32Array, (n) => new Int32Array(n)),
      mask: ragged([1, 1], Uint8Array, () => [1]),
      pairId: twice([0]),
      chosen: Float64Array.of(1, 0),
      agreement: twice([agreement]),
      weight: twice([1]),
      'logp/initial': ragged(
        order.map((value) => [value]),
        Float32Array,
      ),
    });
    const margin = 0.5 * (-1 - -2 - (-3 - -2.5));
    const byHand = 0.7 * surprise(margin) + 0.3 * surprise(-margin);
    const dpo = part.logisticMargin({ beta: 0.5 });
    expect(lossAndGradient(dpo, rows(0.7, [-2, -2.5]), oracle).loss).toBeCloseTo(byHand, 9);
    const turned = { ...oracle, logp: [[-3], [-1]] };
    expect(lossAndGradient(dpo, rows(0.3, [-2.5, -2]), turned).loss).toBeCloseTo(byHand, 9);
  });

  test('is read from a stored pair; below ½ the other answer is the preferred one', () => {
    const pair = {
      pairId: 'p',
      promptId: 'q',
      prompt: 'q',
      a: 'one',
      b: 'two',
      correctA: null,
      correctB: null,
    };
    const read = (verdict: 'a' | 'b' | 'tie', agreement?: number) => {
      const { chosen, agreement: label } = decided({ ...pair, verdict, agreement }) ?? {};
      return [chosen, label];
    };
    expect(read('a')).toEqual(['one', 1]);
    expect(read('a', 0.75)).toEqual(['one', 0.75]);
    expect(read('b', 0.75)).toEqual(['two', 0.75]);
    expect(read('a', 0.25)).toEqual(['two', 0.75]);
    expect(read('b', 0.25)).toEqual(['one', 0.75]);
    expect(read('tie', 0.9)).toEqual(['one', 0.5]);
    expect(gradedByVerdict({ ...pair, verdict: 'a', agreement: 0.25 }).map(({ answer }) => answer)).toEqual([
      'two',
      'one',
    ]);
  });
});

describe('a run on labels', () => {
  const preference = (at: number, more: Partial<Preference>): Preference => ({
    pairId: `p${at}`,
    promptId: `q${at}`,
    prompt: `question ${at}`,
    a: 'yes',
    b: 'no',
    verdict: 'a',
    correctA: null,
    correctB: null,
    ...more,
  });
  const load = async (weigh: 'equal' | 'reliability') => {
    const path = join(temporaryFolder(), 'labels.jsonl');
    const rows = [
      preference(0, { weight: 0.7, strength: 3 }),
      preference(1, { weight: 0.2 }),
      preference(2, {}),
    ];
    writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    const spec = RunSpec.parse({
      name: 'weighed',
      method: { id: 'bradley-terry' },
      task: { kind: 'labels', labelSetId: 'set', heldout: 0, weigh },
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 16, layers: 1, heads: 2, context: 32 },
          tokenizer: { kind: 'characters' },
        },
      },
    });
    const resources = { checkpoints: {}, datasets: {}, preferences: { set: path } };
    const { pairs } = await loadTaskData(spec, resources, { trainsOn: 'pairs' });
    return Array.from({ length: 3 }, (_none, at) => pairs?.at(at)).sort((x, y) =>
      (x?.pairId ?? '') < (y?.pairId ?? '') ? -1 : 1,
    );
  };

  test('weighs its pairs by reliability if asked, and equally by default; strengths come along', async () => {
    expect((await load('reliability')).map((pair) => [pair?.weight, pair?.strength])).toEqual([
      [0.7, 3],
      [0.2, undefined],
      [undefined, undefined],
    ]);
    expect((await load('equal')).map((pair) => pair?.weight)).toEqual([undefined, undefined, undefined]);
  });
});
