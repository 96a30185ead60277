/**
 * Runs a spec with its resources measured: refuses it if it cannot fit, and compares estimate and
 * measurement.
 */
import { isStopped } from '../../pace/index.ts';
import type { Device } from '../../runtime/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import { tooLarge, type PreflightOutcome } from '../../schema/preflight.ts';
import { collectGarbage, MemoryWatch } from '../run/memory-watch.ts';
import type { Events } from '../run/outbox.ts';
import { availableBytes, needOf, remediesFor, type Need } from './preflight.ts';
import { percent, RunProgress } from '../run/run-progress.ts';
import { runToEnd } from '../run/train.ts';

const estimated = async (
  { spec, resources, resumeFrom }: StartRun,
  progress: RunProgress,
): Promise<Need | undefined> => {
  if (resumeFrom !== undefined) return undefined;
  try {
    return await progress.during('estimating', percent, () => needOf(spec, resources));
  } catch (error) {
    if (isStopped(error)) throw error;
    // a rehearsal's failure on made-up numbers says nothing about the run; the run reports its own errors
    return undefined;
  }
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
  // before the estimate, since its freed memory is reused, or not yet returned
  const from = process.memoryUsage.rss();
  const progress = new RunProgress(events, () => ({ step: 0 }));
  const need = await estimated(run, progress);
  if (need) {
    const room = await availableBytes(run.spec.device);
    if (need.totalBytes > room && !run.spec.budget.overcommit) {
      const remedies = await progress.during('looking for what would fit', percent, () =>
        remediesFor(run.spec, run.resources, room, need.totalBytes),
      );
      throw tooLarge({ ...need, availableBytes: room, remedies });
    }
    // garbage of the estimate must not be counted as the run's
    await collectGarbage();
  }
  const watch = new MemoryWatch();
  const seconds: number[] = [];
  const outcome = await runToEnd(
    run,
    {
      emit: (body, place) => {
        watch.look();
        if (body.type === 'metrics' && 'seconds/step' in body.values)
          seconds.push(body.values['seconds/step']);
        return events.emit(body, place);
      },
    },
    stop,
    device,
  );
  if (need)
    await events.emit({
      type: 'result',
      kind: 'preflight',
      value: outcomeOf(need, fresh ? watch.peak() - from : null, seconds),
    });
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
