import type { DeviceId } from '../../../../engine/schema/device.ts';
import type { Run } from '../../../../preload/contract/runs.ts';
import { secondsPerStep } from '../../../../preload/wire/run-pace.ts';

/** When a waiting run starts and ends, in seconds from now; null where a run before it has no known time. */
export interface Expected {
  readonly starts: number | null;
  readonly ends: number | null;
}

/** Time that a waiting run takes, by finished runs like it; null without any. */
function secondsOf({ spec, fork, step }: Run, all: readonly Run[]): number | null {
  const pace = spec && secondsPerStep(all, spec);
  if (!spec || pace === null) return null;
  return pace * Math.max(0, spec.budget.steps - Math.max(step, fork?.carries === 'state' ? fork.step : 0));
}

/** The device of a run; `main/engine-host` queues a run without a readable specification like this as well. */
export const deviceOf = ({ spec }: Run): DeviceId => spec?.device ?? 'cpu';

/**
 * Starts and ends of the waiting runs, in their order: on the processor `atOnce` of them run at a time, memory
 * permitting, and next to them one on each accelerator.
 */
export function expectedOf(
  running: readonly Run[],
  waiting: readonly Run[],
  all: readonly Run[],
  atOnce: number,
): ReadonlyMap<string, Expected> {
  const expected = [...Map.groupBy(waiting, deviceOf)].flatMap(([device, own]) => {
    const before = running.filter((run) => deviceOf(run) === device);
    return [...onDevice(before, own, all, device === 'cpu' ? atOnce : 1)];
  });
  return new Map(expected);
}

function onDevice(
  running: readonly Run[],
  waiting: readonly Run[],
  all: readonly Run[],
  atOnce: number,
): ReadonlyMap<string, Expected> {
  const expected = new Map<string, Expected>();
  // the time at which each place becomes free; null: unknown
  const free: (number | null)[] = running.map(({ secondsLeft }) => secondsLeft);
  while (free.length < Math.max(1, atOnce)) free.push(0);
  for (const run of waiting) {
    const known = free.filter((each) => each !== null);
    // a place that becomes free at an unknown time may be the first
    const starts = known.length === free.length ? Math.min(...known) : null;
    const takes = secondsOf(run, all);
    const ends = starts === null || takes === null ? null : starts + takes;
    expected.set(run.id, { starts, ends });
    free.splice(starts === null ? free.indexOf(null) : free.indexOf(starts), 1, ends);
  }
  return expected;
}
