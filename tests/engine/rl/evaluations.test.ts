import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { metricName } from '../../../preload/wire/metric-names.ts';
import { caught } from '../../support/errors.ts';
import { found, runToy, toyModel, type Seen } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const easy = { id: 'toy/copy', params: { letters: 4 } };
const hard = { id: 'toy/copy', params: { letters: 8 } };
const spec = (more: Partial<RunSpecInput>): RunSpecInput => ({
  method: { id: 'grpo', params: { groupSize: 4 } },
  models: toyModel,
  task: { kind: 'world', ...easy },
  optimizer: { learningRate: 5e-3 },
  budget: { steps: 10, batch: 8 },
  sampling: { maxTokens: 4 },
  evaluation: { problems: 20, samples: 2 },
  ...more,
});

describe('further evaluations', () => {
  test('give the numbers that an evaluation of their own would, and change nothing else', async () => {
    // the same characters in both runs, so that the models are equal
    const [further, own] = [
      await runToy(
        device,
        checkSpec(spec({ evaluations: [{ name: 'hard', world: hard, problems: 30, samples: 3 }] })),
      ),
      await runToy(device, checkSpec(spec({ evaluation: { problems: 30, samples: 3, world: hard } }))),
    ];
    for (const [measured, same] of [
      ['eval/hard/pass_at_1', 'eval/pass_at_1'],
      ['eval/hard/greedy', 'eval/greedy'],
      ['eval/hard/mean_length', 'eval/completions/mean_length'],
    ])
      expect(found(further, measured), measured).toBe(found(own, same));
    const valueOf = (seen: readonly Seen[], wanted: string) =>
      seen.flatMap((event) => (event.type === 'result' && event.kind === wanted ? [event.value] : [])).at(-1);
    const { passAt1, passAt1Interval } = valueOf(own, 'evaluation') as PolicyEvaluation;
    // stored with its interval, as that of the main evaluation is
    expect(valueOf(further, 'further-evaluations')).toMatchObject({
      step: 10,
      evaluations: [
        {
          name: 'hard',
          measures: [
            { name: 'pass_at_1', value: passAt1, interval: passAt1Interval },
            { name: 'greedy', interval: null },
            ...[{ name: 'gold' }, { name: 'mean_length' }, { name: 'truncated' }],
          ],
        },
      ],
    });
    const losses = [further, own].map((seen) =>
      seen.flatMap((event) =>
        event.type === 'metrics' && 'loss' in event.values ? [event.values.loss] : [],
      ),
    );
    expect(losses[0]).toEqual(losses[1]);
    const evaluated = further.flatMap((event) => (event.type === 'result' ? [event.kind] : []));
    expect(evaluated.filter((kind) => kind === 'evaluation')).toHaveLength(1);
  });

  test('measure another role where they name one', async () => {
    const seen = await runToy(
      device,
      checkSpec(
        spec({
          method: { id: 'kdrl', params: { groupSize: 4 } },
          models: { ...toyModel, teacher: toyModel.policy },
          budget: { steps: 4, batch: 4 },
          evaluation: { every: 2, problems: 4, samples: 1 },
          evaluations: [
            { name: 'own', world: easy, problems: 20, samples: 4 },
            { name: 'teacher', world: easy, problems: 20, samples: 4, role: 'teacher' },
          ],
        }),
      ),
    );
    const measured = (name: string) =>
      seen.flatMap((event) => (event.type === 'metrics' && name in event.values ? [event.values[name]] : []));
    const teacher = measured('eval/teacher/greedy');
    // a teacher does not change, nor do its likeliest answers
    expect(teacher.length).toBeGreaterThan(1);
    expect(new Set(teacher).size).toBe(1);
    expect(measured('eval/own/greedy')).toHaveLength(teacher.length);
  });

  test('have explained metrics', () => {
    for (const measure of ['pass_at_1', 'greedy', 'gold', 'mean_length', 'truncated'])
      expect(metricName(`eval/any-name/${measure}`), measure).toBeDefined();
  });

  test('refuse a role that is not there as such, whatever its name', () => {
    const evaluations = [{ name: 'a', world: easy, role: 'constructor' }];
    const error = caught(() => checkSpec(spec({ evaluations })));
    expect(error).toMatchObject({
      where: 'evaluations.0.role',
      message: "There is no role 'constructor'.",
    });
  });

  test.each<[string, Partial<RunSpecInput>, string]>([
    [
      'a world that is not there',
      { evaluations: [{ name: 'a', world: { id: 'x' } }] },
      'evaluations.0.world.id',
    ],
    [
      'a parameter that a world does not have',
      { evaluations: [{ name: 'a', world: { id: 'toy/copy', params: { letter: 2 } } }] },
      'evaluations.0.world.params.letter',
    ],
    [
      'a name twice',
      { evaluations: [easy, hard].map((world) => ({ name: 'a', world })) },
      'evaluations.0.name',
    ],
    ['the name of another measure', { evaluations: [{ name: 'kl', world: easy }] }, 'evaluations.0.name'],
    ['a name with a slash', { evaluations: [{ name: 'a/b', world: easy }] }, 'evaluations.0.name'],
    [
      'a role that is not there',
      { evaluations: [{ name: 'a', world: easy, role: 'x' }] },
      'evaluations.0.role',
    ],
    [
      'a role that does not write',
      { method: { id: 'ppo' }, evaluations: [{ name: 'a', world: easy, role: 'critic' }] },
      'evaluations.0.role',
    ],
    [
      'a method without a policy',
      {
        method: { id: 'bradley-terry' },
        task: { kind: 'world', id: 'toy/pairs' },
        evaluations: [{ name: 'a', world: easy }],
      },
      'evaluations.0',
    ],
  ])('refuse %s', (_, more, where) => {
    expect(caught(() => checkSpec(spec(more)))).toMatchObject({ kind: 'invalid-input', where });
  });
});
