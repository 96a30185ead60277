import { WhetstoneError } from '../../../engine/common/errors.ts';
import { join } from 'node:path';
import type { Services } from '../../services/services.ts';
import { resourcesFor } from '../../services/resources.ts';
import { readableSpec } from '../../store/run-states.ts';
import { inspectionOf } from './table.ts';

/** Time limit for scoring the pairs of one run, in milliseconds. */
const limitMs = 3_600_000;

/**
 * Scores the held-out pairs of a finished reward model by its final checkpoint, in a process of their own, and
 * stores them. Nothing is done if they are stored. Throws `not-found` without an inspection or a checkpoint,
 * `conflict` if the pairs are not those of the stored inspection.
 */
export async function inspectAgain(
  services: Services,
  runId: string,
  signal: AbortSignal,
  push: (progress: { done: number; total: number }) => void,
): Promise<void> {
  const { store, engine, folder } = services;
  const inspection = await inspectionOf(services, runId);
  const stored = await store.inspections.of(runId);
  if (stored) return push({ done: stored.pairs, total: stored.pairs });
  const run = await store.runs.get(runId);
  const newest = (await store.checkpoints.list(runId))[0];
  if (!newest)
    throw new WhetstoneError('not-found', `'${run.name}' has no checkpoint that could score its pairs.`, {
      where: runId,
      hint: 'It was deleted. Train the reward model again.',
    });
  const spec = readableSpec(run);
  const resources = await resourcesFor(services, await store.runs.inputs(runId), runId);
  // parts are stored one after the other; the last one makes them visible
  let storing: Promise<void> = Promise.resolve();
  const { attempt } = run;
  let decided = 0;
  await engine.ask(
    'inspectAgain',
    {
      run: {
        runId,
        attempt,
        spec,
        resources,
        outDir: join(folder, 'artifacts', 'runs', runId),
        resumeFrom: join(folder, newest.path),
      },
    },
    limitMs,
    {
      signal,
      report: ({ from, total, rows }) => {
        decided += rows.filter(({ verdict }) => verdict === 'a' || verdict === 'b').length;
        const isLast = from + rows.length === total;
        storing = storing.then(async () => {
          if (isLast && decided !== inspection.pairs) throw others(runId, decided, inspection.pairs);
          await store.inspections.store(runId, attempt, { from, total, rows });
          push({ done: from + rows.length, total });
        });
        // awaited below; a failure must not end main before that
        storing.catch(() => undefined);
      },
    },
  );
  await storing;
}

const others = (runId: string, now: number, then: number): WhetstoneError =>
  new WhetstoneError(
    'conflict',
    `The run holds out ${now} decided pairs now, and its inspection counted ${then}.`,
    { where: runId, hint: 'Another version held out other rows. Train the reward model again.' },
  );
