import { describe, expect, it } from 'vitest';
import { runDoctorVersion } from '../../engine/index.ts';
import type { EngineEvent, EventBody } from '../../engine/schema/messages.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { compareReport } from '../../main/report/compare.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { rejected } from '../support/errors.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, servicesForTest, servicesIn } from '../support/workspace.ts';
import { temporaryFolder } from '../support/folder.ts';

const doctorSpec: Partial<RunSpecInput> = {
  method: { id: 'grpo' },
  models: { policy: { kind: 'checkpoint', checkpointId: 'base' } },
  budget: { steps: 100, batch: 4 },
};

/** A stored run whose steps can be told one by one, in several attempts. */
async function storedRun(store: StoreClient, own: Partial<RunSpecInput> = doctorSpec) {
  const { id } = await store.runs.create(parsedSpec(own), []);
  let attempt = await store.runs.beginAttempt(id, null);
  let sequence = 0;
  const tell = (step: number, ...bodies: EventBody[]) =>
    store.events.commit(
      bodies.map((body): EngineEvent => ({
        runId: id,
        attempt,
        role: 'policy',
        step,
        sequence: (sequence += 1),
        at: sequence,
        ...body,
      })),
    );
  return {
    id,
    tell,
    /** Steps with these metrics. */
    async steps(from: number, to: number, of: (step: number) => Record<string, number>) {
      for (let step = from; step <= to; step += 1) await tell(step, { type: 'metrics', values: of(step) });
    },
    async resumed() {
      await tell(0, { type: 'finished', outcome: 'stopped' });
      await store.runs.enqueue(id, false);
      attempt = await store.runs.beginAttempt(id, null);
      sequence = 0;
    },
  };
}
const cut = { 'completions/truncated': 0.9 };
const fine = { 'completions/truncated': 0 };

describe('the run doctor', () => {
  it('examines a run when it is asked for, and keeps what it found with the run', async () => {
    const { api, services } = await servicesForTest();
    const run = await storedRun(services.store);
    await run.steps(1, 20, () => cut);
    await run.tell(20, { type: 'finished', outcome: 'done' });
    const { findings, step } = await api.runDoctor.get({ id: run.id });
    expect([findings.map(({ rule }) => rule), step]).toEqual([['truncation'], 20]);
    const [{ text }] = findings;
    const counts = { severe: 1, warning: 0, worst: { rule: 'truncation', text } };
    expect((await api.runs.get({ id: run.id })).findings).toEqual(counts);
    expect((await api.runs.list({ archived: false })).map((each) => each.findings)).toEqual([counts]);
  });

  it('hides a dismissed finding from lists until it is restored, over examinations too', async () => {
    const { api, services } = await servicesForTest();
    const run = await storedRun(services.store);
    await run.steps(1, 20, () => cut);
    const dismissed = await api.runDoctor.dismiss({ id: run.id, rule: 'truncation', dismissed: true });
    expect([dismissed.findings.length, dismissed.dismissed]).toEqual([1, ['truncation']]);
    expect((await api.runs.get({ id: run.id })).findings).toEqual({ severe: 0, warning: 0, worst: null });
    await run.steps(21, 30, () => cut);
    await run.tell(30, { type: 'finished', outcome: 'done' });
    const later = await api.runDoctor.get({ id: run.id });
    expect([later.step, later.dismissed]).toEqual([30, ['truncation']]);
    await api.runDoctor.dismiss({ id: run.id, rule: 'truncation', dismissed: false });
    expect((await api.runs.get({ id: run.id })).findings).toMatchObject({
      severe: 1,
      worst: { rule: 'truncation' },
    });
  });

  it('reads a resumed run as its latest attempt told each step', async () => {
    const { api, services } = await servicesForTest();
    const run = await storedRun(services.store);
    await run.steps(1, 30, (step) => (step > 10 ? cut : fine));
    await run.resumed();
    await run.steps(11, 30, () => fine);
    await run.tell(30, { type: 'finished', outcome: 'done' });
    expect((await api.runDoctor.get({ id: run.id })).findings).toEqual([]);
  });

  it('reads answers of evenly spaced steps, whole batches, those of the latest attempt', async () => {
    const { services } = await servicesForTest();
    const { store } = services;
    const run = await storedRun(store);
    const rows = (step: number, text: string) =>
      Array.from({ length: 8 }, (_none, at) =>
        trajectory({
          id: `${run.id}-${text}-${step}-${at}`,
          step,
          purpose: 'train',
          promptId: `p${at >> 2}`,
          sample: at % 4,
          completion: `${text} ${at}`,
          scores: { verifier: at % 2 },
        }),
      );
    for (let step = 1; step <= 40; step += 1)
      await run.tell(step, { type: 'trajectories', rows: rows(step, 'first') });
    await run.resumed();
    for (let step = 20; step <= 40; step += 1)
      await run.tell(step, { type: 'trajectories', rows: rows(step, 'second') });
    const answers = await store.runFindings.answers(run.id);
    const steps = [...new Set(answers.map(({ step }) => step))];
    expect(steps.length).toBeGreaterThanOrEqual(12);
    expect([steps[0], steps.at(-1)]).toEqual([1, 40]);
    for (const step of steps) {
      const own = answers.filter((each) => each.step === step);
      expect(own.map(({ completion }) => completion.split(' ')[1])).toEqual([...'01234567']);
      expect(new Set(own.map(({ completion }) => completion.split(' ')[0])).size).toBe(1);
    }
    expect(answers.at(-1)).toMatchObject({ completion: 'second 7', scores: { verifier: 1 } });
  });

  it('examines runs that an earlier version left, after the workspace has opened', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home);
    const run = await storedRun(first.services.store);
    await run.steps(1, 20, () => cut);
    await run.tell(20, { type: 'finished', outcome: 'done' });
    const state = { attempt: 1, step: 20, state: 'done', version: runDoctorVersion - 1 };
    await first.services.store.runFindings.put(run.id, state, []);
    await first.close();
    const again = await servicesIn(home);
    try {
      await expect
        .poll(async () => (await again.api.runs.get({ id: run.id })).findings)
        .toMatchObject({ severe: 1, worst: { rule: 'truncation' } });
    } finally {
      await again.close();
    }
  });

  it('leaves a run whose configuration cannot be read, and one without a step, without a finding', async () => {
    const { api, services } = await servicesForTest();
    const run = await storedRun(services.store);
    expect(await api.runDoctor.get({ id: run.id })).toMatchObject({ step: 0, findings: [] });
    const error = await rejected(services.runDoctor.of('nobody'));
    expect(error).toMatchObject({ kind: 'not-found' });
  });

  it('follows a removed run no more, and its findings go with it', async () => {
    const { api, services } = await servicesForTest();
    const run = await storedRun(services.store);
    await run.steps(1, 20, () => cut);
    await run.tell(20, { type: 'finished', outcome: 'done' });
    await api.runDoctor.get({ id: run.id });
    await api.runs.remove({ id: run.id });
    await expect.poll(() => services.store.runFindings.of(run.id)).toBeNull();
  });

  it('is in the report of compared runs, without what was dismissed', async () => {
    const { api, services } = await servicesForTest();
    const run = await storedRun(services.store);
    await run.steps(1, 20, () => ({ ...cut, loss: Number.NaN }));
    await run.tell(20, { type: 'finished', outcome: 'done' });
    await api.runDoctor.dismiss({ id: run.id, rule: 'not-finite', dismissed: true });
    const { sections } = await compareReport(api, {
      runIds: [run.id],
      title: 'title',
      baseline: null,
      folded: false,
    });
    const blocks = sections.find(({ title }) => title === 'Run doctor')?.blocks;
    expect(JSON.stringify(blocks)).toContain('Answers are cut off');
    expect(JSON.stringify(blocks)).not.toContain('not finite');
  });
});
