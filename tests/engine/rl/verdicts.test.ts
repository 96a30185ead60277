import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { firstErrorMeasures, solutionsOf } from '../../../engine/rl/evaluation/first-error.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { decayedShare, verdictCredit } from '../../../engine/rl/parts/credit/verdict-credit.ts';
import { shownPrompts, verdictsOf } from '../../../engine/rl/parts/math/written-verdicts.ts';
import { scoreVerdicts } from '../../../engine/rl/parts/scorers/score-verdicts.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { caught } from '../../support/errors.ts';
import { found, runToy } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const words = { right: 'Y', wrong: 'N' } as const;

test.each<[string, number, readonly boolean[] | null]>([
  ['YNY', 3, [true, false, true]],
  [' Y N\nY ', 3, [true, false, true]],
  ['YN', 3, null],
  ['YNYY', 3, null],
  ['YxN', 3, null],
  ['', 1, null],
])('the verdicts of %j, of which %i are due', (text, count, wanted) =>
  expect(verdictsOf(text, words, count)).toEqual(wanted),
);

test('a prompt that shows a text too long for the context keeps its cue', () => {
  const text = {
    prompt: (shown: string) => Int32Array.from([...shown], (letter) => letter.charCodeAt(0)),
    encode: (shown: string) => Int32Array.from([...shown], (letter) => letter.charCodeAt(0)),
    context: 10,
    maxTokens: 4,
  };
  const { values } = shownPrompts([{ shown: 'abcdefgh', cue: '||' }], text);
  expect(String.fromCharCode(...values)).toBe('abcd||');
});

describe('tango', () => {
  /** A stage memory of one batch after another. */
  const remembered = () => {
    const kept = new Map<string, unknown>();
    return {
      get: (stage: string) => kept.get(stage),
      set: (stage: string, state: unknown) => void kept.set(stage, state),
    };
  };
  const batch = (truth: readonly number[], completion: readonly string[]) => ({
    groupId: Float64Array.from(truth, (_, r) => r),
    weight: new Float64Array(truth.length).fill(1),
    completion,
    'row/truth': Float64Array.from(truth),
    'row/steps': new Float64Array(truth.length).fill(1),
  });
  type Scored = { columns: { 'reward/total': Float64Array; weight: Float64Array } };

  test('rewards a verifier for the outcome and the format, and weighs classes by smoothed counts', async () => {
    const stage = scoreVerdicts({ ...words, format: 0.8, decay: 0.8 });
    const context = { memory: remembered() } as never;
    const first = batch([1, 1, 1, 0], ['YY', 'NN', 'Y', 'YN']);
    const { columns } = (await stage.run(first as never, context)) as Scored;
    // right and well formed; wrong and well formed; a verdict too few; right and well formed
    expect([...columns['reward/total']]).toEqual([1.8, 0.8, 0, 1.8]);
    // 1 wrong and 3 right answers: 1 and 1 ⁄ √3, with mean 1
    const sum = 3 / Math.sqrt(3) + 1;
    [4 / Math.sqrt(3) / sum, 4 / sum].forEach((weight, k) =>
      expect(columns.weight[k === 0 ? 0 : 3]).toBeCloseTo(weight, 12),
    );
    const second = batch([0, 0, 0, 1], ['', '', '', '']);
    const later = (await stage.run(second as never, context)) as Scored;
    // .8 of (1, 3) and .2 of (3, 1): 1.4 wrong, 2.6 right
    expect(later.columns.weight[0] / later.columns.weight[3]).toBeCloseTo(Math.sqrt(2.6 / 1.4), 12);
  });

  test('mixes the credit of the outcome with that of the verdicts, normalised apart', async () => {
    // a prompt token; two steps and a final answer; one step and a final answer
    const rows = [
      [0, 1, 1, 1],
      [0, 1, 1],
    ];
    const inputs = {
      groupId: Float64Array.of(0, 0),
      mask: ragged(rows, Uint8Array),
      stepEnd: ragged(rows, Uint8Array),
      'row/steps': Float64Array.of(2, 1),
      'reply/completion': ['YNN', 'YY'],
      advantage: ragged(
        [
          [0, -1, -1, -1],
          [0, 1, 1],
        ],
        Float64Array,
      ),
    };
    const credit = async (replies: readonly string[]) => {
      const stage = verdictCredit({ ...words, share: 0.5 });
      const given = { ...inputs, 'reply/completion': replies };
      const { columns } = (await stage.run(given as never, { progress: 0 } as never)) as {
        columns: { advantage: PerToken<Float64Array> };
      };
      return [...columns.advantage.values];
    };
    // steps earn ½, −½ and 1: minus ⅓, over √(7 ⁄ 12)
    const [a, b, c] = [0.5, -0.5, 1].map((reward) => (reward - 1 / 3) / Math.sqrt(7 / 12));
    const wanted = [0, (a + b - 1) / 2, (b - 1) / 2, -0.5, 0, (c + 1) / 2, 0.5];
    (await credit(['YNN', 'YY'])).forEach((found, at) => expect(found, `${at}`).toBeCloseTo(wanted[at], 5));
    // without a verdict for each step, only the outcome counts
    expect(await credit(['Y', 'YYY'])).toEqual([0, -0.5, -0.5, -0.5, 0, 0.5, 0.5]);
  });

  test('lets the share of the steps’ credit fall exponentially to a thousandth', () => {
    expect(decayedShare(0.1, 0)).toBe(0.1);
    expect(decayedShare(0.1, 0.5)).toBeCloseTo(0.01, 12);
    expect(decayedShare(0.1, 1)).toBeCloseTo(0.001, 12);
    expect(decayedShare(0, 0.5)).toBe(0);
  });
});

describe('a verifier’s own measure', () => {
  const judged = (firstError: number, verdicts: readonly boolean[] | null) => ({
    solution: { firstError, correct: firstError < 0 },
    verdicts,
  });

  test('is the harmonic mean of its accuracies on wrong and right answers', () => {
    const found = firstErrorMeasures([
      judged(1, [true, false, false]),
      judged(0, [true, false, false]),
      judged(-1, [true, true, true]),
      judged(-1, [true, true, false]),
      judged(-1, null),
      judged(-1, [false, true, true]),
    ]);
    expect(found.first_error_in_wrong).toBe(0.5);
    expect(found.first_error_in_right).toBe(0.5);
    expect(found.first_error_f1).toBe(0.5);
    // both of the wrong answers; two of the four right ones
    expect(found.verdict_accuracy).toBe(0.75);
    expect(firstErrorMeasures([judged(1, null), judged(-1, null)]).first_error_f1).toBe(0);
    expect(firstErrorMeasures([judged(1, [true, false, false])])).toEqual({ first_error_in_wrong: 1 });
  });

  test('is taken on worked answers whose first wrong line is known', () => {
    const solutions = solutionsOf(openWorldById('arithmetic', { wrong: 0.5 }), 100);
    expect(solutions.length).toBeGreaterThan(90);
    for (const { answer, firstError, correct } of solutions) {
      expect(correct).toBe(firstError < 0);
      expect(firstError).toBeLessThan(answer.split('\n').length - 1);
    }
    expect(solutionsOf(openWorldById('toy/copy'), 20)).toEqual([]);
  });

  const steps = { id: 'toy/steps', params: { length: 2 } };
  const spec = (more: Partial<RunSpecInput>): RunSpecInput => ({
    method: { id: 'tango', params: { warmup: 2 } },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 32, layers: 1, heads: 2, context: 24 },
        tokenizer: { kind: 'characters' },
      },
    },
    task: { kind: 'world', ...steps },
    budget: { steps: 6, batch: 4 },
    sampling: { maxTokens: 6 },
    evaluation: { problems: 4, samples: 1 },
    evaluations: [{ name: 'verifier', world: steps, role: 'verifier', measure: 'first-error' }],
    ...more,
  });

  test('is reported next to the policy’s, and absent fields are those of earlier specifications', async () => {
    const seen = await runToy(device, checkSpec(spec({})));
    for (const measure of ['first_error_f1', 'first_error_in_wrong', 'verdict_accuracy'])
      expect(found(seen, `eval/verifier/${measure}`), measure).toBeGreaterThanOrEqual(0);
    expect(found(seen, 'eval/pass_at_1')).toBeGreaterThanOrEqual(0);
    const [stored] = checkSpec(spec({ evaluations: [{ name: 'a', world: steps }] })).evaluations ?? [];
    expect(stored.measure).toBeUndefined();
  });

  test.each<[string, Partial<RunSpecInput>, string]>([
    [
      'a role that writes no verdicts',
      { evaluations: [{ name: 'a', world: steps, measure: 'first-error' }] },
      'measure',
    ],
    [
      'a world that does not judge lines',
      { evaluations: [{ name: 'a', world: { id: 'toy/copy' }, role: 'verifier', measure: 'first-error' }] },
      'world',
    ],
  ])('is refused for %s', (_, more, field) =>
    expect(caught(() => checkSpec(spec(more)))).toMatchObject({
      kind: 'invalid-input',
      where: `evaluations.0.${field}`,
    }),
  );
});
