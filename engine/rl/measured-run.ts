/** A run with its measure taken: refused where it cannot fit, and its estimate set beside what came. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Device } from '../runtime/index.ts';
import type { StartRun } from '../schema/messages.ts';
import { tooLarge, type PreflightOutcome } from '../schema/preflight.ts';
import { MemoryWatch } from './memory-watch.ts';
import type { Events } from './outbox.ts';
import { availableBytes, needOf, remediesFor, type Need } from './preflight.ts';
import { runToEnd } from './train.ts';

/** Lets go of what the estimate has made, so that it is not counted as the run's. */
const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
};

const estimated = async ({ spec, resources, resumeFrom }: StartRun): Promise<Need | undefined> => {
  if (resumeFrom !== undefined) return undefined;
  // what a rehearsal on made-up numbers cannot do says nothing of the run; what is wrong with the run, the run says itself
  return needOf(spec, resources).catch(() => undefined);
};

/** Runs a spec to its end as `runToEnd` does. Throws `out-of-memory` before anything is computed where it cannot fit and is not told to overcommit. `fresh`: the process has not run before. */
export const measuredRun = async (run: StartRun, events: Events, stop: AbortSignal, device: Device, fresh: boolean): Promise<'done' | 'stopped'> => {
  const need = await estimated(run);
  if (need) {
    const room = await availableBytes(run.spec.device);
    if (need.totalBytes > room && !run.spec.budget.overcommit) throw tooLarge({ ...need, availableBytes: room, remedies: await remediesFor(run.spec, run.resources, room, need.totalBytes) });
    collectGarbage();
  }
  const watch = new MemoryWatch();
  const seconds: number[] = [];
  const outcome = await runToEnd(run, {
    emit: (body, place) => {
      watch.look();
      if (body.type === 'metrics' && 'seconds/step' in body.values) seconds.push(body.values['seconds/step']);
      return events.emit(body, place);
    },
  }, stop, device);
  if (need) await events.emit({ type: 'result', kind: 'preflight', value: outcomeOf(need, fresh ? watch.peak() - watch.from : null, seconds) });
  return outcome;
};

const outcomeOf = ({ totalBytes, stepFlops }: Need, measuredBytes: number | null, seconds: readonly number[]): PreflightOutcome => ({
  estimatedBytes: totalBytes, measuredBytes, memoryError: measuredBytes ? totalBytes / measuredBytes - 1 : null, stepFlops,
  secondsPerStep: seconds.length > 0 ? seconds.toSorted((a, b) => a - b)[seconds.length >> 1] : null,
});
