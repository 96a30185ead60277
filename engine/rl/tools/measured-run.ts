/**
 * Runs a spec with its resources measured: refuses it if it cannot fit, and compares estimate and
 * measurement.
 */
import { isStopped } from '../../pace/index.ts';
import type { Device } from '../../runtime/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import { tooLarge, type PreflightOutcome } from '../../schema/preflight.ts';
import { collectGarbage, MemoryWatch } from '../run/memory-watch.ts';
import { openTask, type OpenedTask } from '../run/open-task.ts';
import type { Events } from '../run/outbox.ts';
import { percent, RunProgress } from '../run/run-progress.ts';
import { runToEnd } from '../run/train.ts';
import { availableBytes, needOfTask, remediesFor, type Need } from './preflight.ts';

const estimated = async (
  run: StartRun,
  opened: OpenedTask,
  progress: RunProgress,
): Promise<Need | undefined> => {
  try {
    return await progress.during('estimating', percent, () => needOfTask(run, opened));
  } catch (error) {
    if (isStopped(error)) throw error;
    // a rehearsal that fails on synthetic numbers does not predict a failure; the run reports its own errors
    return undefined;
  }
};

/** An opened task, the estimated need of its run, and the peak memory of opening it. */
interface EstimatedTask {
  readonly opened?: OpenedTask;
  readonly need?: Need;
  readonly peakBytes: number;
}

/**
 * Opens the task of a run once, for both the estimate and the run. A resumed run needs no new estimate.
 * Throws `out-of-memory` if the run cannot fit and `overcommit` is off.
 */
const openEstimated = async (run: StartRun, progress: RunProgress): Promise<EstimatedTask> => {
  if (run.resumeFrom !== undefined) return { peakBytes: 0 };
  const { spec, resources } = run;
  const watch = new MemoryWatch();
  let opened: OpenedTask | undefined = await progress.during('opening', percent, () => openTask(run));
  const peakBytes = watch.peak();
  const need = await estimated(run, opened, progress);
  if (!need) return { opened, peakBytes };
  const room = await availableBytes(spec.device);
  if (need.totalBytes > room && !spec.budget.overcommit) {
    // each remedy opens its own task, so this one can be freed
    opened = undefined;
    const remedies = await progress.during('searching for a size that fits', percent, () =>
      remediesFor(spec, resources, room, need.totalBytes),
    );
    throw tooLarge({ ...need, availableBytes: room, remedies });
  }
  // frees the memory of the estimate, so that it is not counted as the run's
  await collectGarbage();
  return { opened, need, peakBytes };
};

/**
 * Runs a spec to its end as `runToEnd` does. Throws `out-of-memory` before anything is computed if it cannot
 * fit and may not overcommit. `fresh`: the process has not run before.
 */
export const measuredRun = async (
  run: StartRun,
  events: Events,
  stop: AbortSignal,
  device: Device,
  fresh: boolean,
): Promise<'done' | 'stopped'> => {
  // measured before the estimate, whose freed memory is reused or returned late
  const from = process.memoryUsage.rss();
  const progress = new RunProgress(events, () => ({ step: 0 }));
  const { need, peakBytes, ...opening } = await openEstimated(run, progress);
  const watch = new MemoryWatch();
  const seconds: number[] = [];
  const outcome = await runToEnd(
    run,
    {
      emit: (body, place) => {
        watch.sample();
        if (body.type === 'metrics' && 'seconds/step' in body.values)
          seconds.push(body.values['seconds/step']);
        return events.emit(body, place);
      },
    },
    stop,
    device,
    opening,
  );
  if (need) {
    const measuredBytes = fresh ? Math.max(peakBytes, watch.peak()) - from : null;
    await events.emit({
      type: 'result',
      kind: 'preflight',
      value: outcomeOf(need, measuredBytes, seconds),
    });
  }
  return outcome;
};

const outcomeOf = (
  { totalBytes, stepFlops }: Need,
  measuredBytes: number | null,
  seconds: readonly number[],
): PreflightOutcome => ({
  estimatedBytes: totalBytes,
  measuredBytes,
  memoryError: measuredBytes ? totalBytes / measuredBytes - 1 : null,
  stepFlops,
  secondsPerStep: seconds.length > 0 ? seconds.toSorted((a, b) => a - b)[seconds.length >> 1] : null,
});
