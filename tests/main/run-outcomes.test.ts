import { describe, expect, it } from 'vitest';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { EngineEvent, EventBody } from '../../engine/schema/messages.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { differenceToStart } from '../../main/use-cases/difference.ts';
import { outcomeFacts } from '../../preload/wire/run-outcome.ts';
import { warningsOf, type Evidence } from '../../preload/wire/run-warnings.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, workspaceForTest } from '../support/workspace.ts';

const evaluation = (passAt1: number, own: Partial<PolicyEvaluation> = {}): PolicyEvaluation => ({
  step: 80,
  problems: 2,
  samples: 2,
  passAt1,
  passAt1Interval: [passAt1 - 0.05, passAt1 + 0.05],
  passAtK: [{ k: 1, value: passAt1 }],
  greedy: passAt1,
  kl: 0.5,
  meanLength: 9,
  truncated: 0,
  gold: passAt1,
  proxy: null,
  ...own,
});

describe('the warnings of a run', () => {
  const evidence = (own: Partial<Evidence> = {}): Evidence => {
    const last = own.last ?? evaluation(0.022, { proxy: 1.87, kl: 52 });
    return {
      start: evaluation(0.521),
      first: last,
      last,
      trainsOnProxy: true,
      trainingReward: () => ({ first: 0.46, last: 1.85 }),
      notFinite: null,
      ...own,
    };
  };
  const kinds = (own: Partial<Evidence>) => warningsOf(evidence(own)).map(({ kind }) => kind);

  it('mark a proxy that rose while pass@1 fell, with both in a sentence', () => {
    const [warning] = warningsOf(evidence());
    expect(warning.kind).toBe('over-optimization');
    expect(warning.text).toContain('rose from .460 to 1.850 while held-out pass@1 fell from .521 to .022');
  });
  it('do not mark a run whose pass@1 rose, or fell within the intervals', () => {
    expect(kinds({ last: evaluation(0.599, { proxy: 1.87 }) })).toEqual([]);
    expect(kinds({ last: evaluation(0.43, { proxy: 1.87 }) })).toEqual([]);
  });
  it('compare the run’s own evaluations where there are two, and call a fall without a proxy a decline', () => {
    const first = evaluation(0.5, { step: 10, proxy: 2 });
    expect(kinds({ start: null, first }), 'its proxy fell too').toEqual(['decline']);
    expect(kinds({ start: null, first: { ...first, proxy: 1 } })).toEqual(['over-optimization']);
    expect(kinds({ trainsOnProxy: false })).toEqual(['decline']);
    expect(kinds({ start: null }), 'one evaluation alone says nothing').toEqual([]);
  });
  it('mark numbers that are not finite, in training and in the evaluation', () => {
    const last = evaluation(0.6, { kl: Number.NaN, proxy: -Infinity });
    const [warning] = warningsOf(evidence({ last, notFinite: { metric: 'loss', step: 12 } }));
    expect(warning.kind).toBe('not-finite');
    expect(warning.text).toContain('loss at step 12, KL in the evaluation at step 80, proxy in');
    expect(kinds({ last: evaluation(0.6, { kl: null }) })).toEqual([]);
  });
});

/** A workspace with a trained base and a run from it, each with its evaluation. */
async function stored(own: Partial<RunSpecInput> = {}) {
  const { store, folder } = await workspaceForTest();
  const open = async (spec: Partial<RunSpecInput>) => {
    const { id } = await store.runs.create(
      parsedSpec({ evaluation: { problems: 2, samples: 2 }, ...spec }),
      [],
    );
    await store.runs.beginAttempt(id, null);
    let sequence = 0;
    const tell = (step: number, ...bodies: EventBody[]) =>
      store.events.commit(
        bodies.map((body): EngineEvent => ({
          runId: id,
          attempt: 1,
          role: 'policy',
          step,
          sequence: (sequence += 1),
          at: 1000 + sequence,
          ...body,
        })),
      );
    return { id, tell };
  };
  const base = await open({ name: 'base' });
  await base.tell(
    80,
    { type: 'result', kind: 'evaluation', value: evaluation(0.5, { kl: null }) },
    {
      type: 'checkpoint',
      checkpoint: {
        path: `${folder}/artifacts/c`,
        hash: 'h',
        bytes: 1,
        parameters: 1,
        head: 'next-token',
        final: true,
      },
    },
  );
  const [{ id: checkpointId }] = await store.checkpoints.list(base.id);
  const run = await open({ ...own, name: 'run', models: { policy: { kind: 'checkpoint', checkpointId } } });
  return { store, base, run };
}

/** Answers to problems `p0` and `p1`, right or wrong by the scorer `verifier`. */
const answers = (right: readonly (readonly boolean[])[]): EventBody => ({
  type: 'trajectories',
  rows: right.flatMap((of, problem) =>
    of.map((isRight, sample) => ({
      ...trajectory({ id: `${JSON.stringify(right)} ${problem} ${sample}` }),
      promptId: `p${problem}`,
      sample,
      step: 80,
      purpose: 'evaluation' as const,
      scores: { verifier: isRight ? 1 : 0.3 },
    })),
  ),
});

describe('the stored outcome of a run', () => {
  it('is its newest evaluation, or the accuracy of a reward model', async () => {
    const { store, run } = await stored();
    expect((await store.runs.get(run.id)).outcome).toBeNull();
    await run.tell(40, { type: 'result', kind: 'evaluation', value: evaluation(0.6, { step: 40 }) });
    await run.tell(80, { type: 'result', kind: 'evaluation', value: evaluation(0.7) });
    const [listed] = await store.runs.list(false);
    expect(listed.outcome).toEqual({
      measure: 'pass@1',
      value: 0.7,
      interval: [0.7 - 0.05, 0.7 + 0.05],
      kl: 0.5,
      step: 80,
    });
    expect(
      outcomeFacts({ ...listed, startedAt: 1000, endedAt: 36_000 }).map(({ label, text }) => [label, text]),
    ).toEqual([
      ['pass@1', '.700'],
      ['KL', '.500'],
      ['duration', '35 s'],
    ]);
  });

  it('is the return of a run in a control world, with the interval over its episodes', async () => {
    const { store, run } = await stored();
    const value = { step: 80, episodes: 100, return: -91.5, deviation: 36, length: 92.5 };
    const returnInterval: [number, number] = [-98.7, -84.3];
    await run.tell(80, { type: 'result', kind: 'episodes', value: { ...value, returnInterval } });
    const { outcome } = await store.runs.get(run.id);
    expect(outcome).toEqual({
      measure: 'return',
      value: -91.5,
      interval: returnInterval,
      kl: null,
      step: 80,
    });
    expect(outcomeFacts({ outcome, startedAt: null, endedAt: null })).toMatchObject([
      { label: 'return', text: '−91.50' },
    ]);
  });

  it('survives a result that cannot be read', async () => {
    const { store, run } = await stored();
    await run.tell(80, { type: 'result', kind: 'evaluation', value: { strange: true } as never });
    expect(await store.runs.list(false)).toMatchObject([{ outcome: null, warnings: [] }, { name: 'base' }]);
  });

  it('is marked by the first training metric that was not finite, and not by one of an evaluation', async () => {
    const { store, run } = await stored();
    await run.tell(1, { type: 'metrics', values: { loss: 1, 'eval/answers/auc': Number.NaN } });
    expect((await store.runs.get(run.id)).warnings).toEqual([]);
    await run.tell(2, { type: 'metrics', values: { loss: Number.NaN } });
    await run.tell(3, { type: 'metrics', values: { grad_norm: Infinity } });
    const [warning] = (await store.runs.get(run.id)).warnings;
    expect(warning.text).toContain('loss at step 2.');
    // an attempt that repeats the step may come out finite
    await store.runs.setState(run.id, 'interrupted');
    await store.runs.enqueue(run.id, false);
    await store.runs.beginAttempt(run.id, null);
    expect((await store.runs.get(run.id)).warnings).toEqual([]);
  });

  it('is marked where the training reward rose while pass@1 fell below its start', async () => {
    const { store, run } = await stored({
      method: { id: 'grpo' },
      rewards: [{ id: 'length', weight: 1, params: {} }],
    });
    for (let step = 1; step <= 20; step += 1)
      await run.tell(step, { type: 'metrics', values: { 'reward/mean': step / 10 } });
    const value = evaluation(0.1, { proxy: 2 });
    await run.tell(80, { type: 'result', kind: 'evaluation', value });
    const [warning] = (await store.runs.get(run.id)).warnings;
    expect(warning.text).toContain('rose from .300 to 1.800 while held-out pass@1 fell from .500 to .100');
    // the run doctor says so with more evidence
    const examined = { version: 1, attempt: 1, step: 80, state: 'running' };
    await store.runFindings.put(run.id, examined, []);
    expect(await store.runs.get(run.id)).toMatchObject({
      warnings: [],
      findings: { severe: 0, worst: null },
    });
  });
});

describe('the difference of a run to its start', () => {
  it('is paired over the problems where the answers of both are stored', async () => {
    const { store, base, run } = await stored();
    await base.tell(
      80,
      answers([
        [true, true],
        [false, false],
      ]),
    );
    await run.tell(
      80,
      answers([
        [true, true],
        [true, false],
      ]),
      { type: 'result', kind: 'evaluation', value: evaluation(0.75) },
    );
    expect(await differenceToStart({ store }, run.id)).toMatchObject({
      runId: base.id,
      runName: 'base',
      before: 0.5,
      difference: 0.25,
      // of two problems: .25 ± 12.7 · .25, within −1 and 1
      interval: [-1, 1],
      paired: true,
      problems: 2,
    });
  });

  it('counts a problem that was drawn several times as often, so that its interval is around it', async () => {
    const { store, base, run } = await stored();
    const [right, wrong] = [
      [true, true],
      [false, false],
    ];
    const half = [true, false];
    const measured = (passAt1: number): EventBody => ({
      type: 'result',
      kind: 'evaluation',
      value: evaluation(passAt1, { problems: 6 }),
    });
    await base.tell(80, answers([[...half, ...half, ...half], wrong, half, right]), measured(6 / 12));
    await run.tell(80, answers([[...right, ...right, ...right], wrong, right, right]), measured(10 / 12));
    const found = await differenceToStart({ store }, run.id);
    expect(found).toMatchObject({ paired: true, problems: 6 });
    expect(found?.difference).toBeCloseTo(1 / 3, 12);
    // Student's t of 3 degrees of freedom times √(18 ∕ 243 ∕ 4)
    const bound = 3.18244630528 * Math.sqrt(18 / 243 / 4);
    expect(found?.interval[0]).toBeCloseTo(1 / 3 - bound, 8);
    expect(found?.interval[1]).toBeCloseTo(1 / 3 + bound, 8);
  });

  it('is said to be unpaired where they are not, with the wider interval', async () => {
    const { store, run } = await stored();
    await run.tell(80, { type: 'result', kind: 'evaluation', value: evaluation(0.75) });
    const found = await differenceToStart({ store }, run.id);
    expect(found).toMatchObject({ difference: 0.25, paired: false });
    expect(found?.interval[0]).toBeCloseTo(0.25 - Math.hypot(0.05, 0.05), 10);
  });

  it('is unknown where the problems are others, or nothing was evaluated', async () => {
    const { store, base, run } = await stored({
      task: { kind: 'world', id: 'toy/copy', params: { letters: 8 } },
    });
    await run.tell(80, { type: 'result', kind: 'evaluation', value: evaluation(0.75) });
    expect(await differenceToStart({ store }, run.id)).toBeNull();
    expect(await differenceToStart({ store }, base.id)).toBeNull();
    expect((await store.runs.get(run.id)).warnings).toEqual([]);
  });
});
