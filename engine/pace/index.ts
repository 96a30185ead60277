/**
 * Long work that can be followed and stopped. Whoever computes for long calls `pause` between pieces: the
 * event loop turns, so that messages are heard, and work that was asked to stop ends there. Neither needs to
 * know who follows.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { WhetstoneError } from '../common/errors.ts';

/**
 * Longest time between two turns of the event loop, where the work can be divided so finely, in milliseconds.
 */
const TURN_MS = 50;

export interface Follower {
  /** Asks the work to stop at its next pause. */
  readonly stop?: AbortSignal;
  /** Hears which share of the work is done, 0–1. It may hear the same share again, or a smaller one. */
  report?(this: void, share: number): void | Promise<void>;
}

interface Pace {
  readonly stops: readonly AbortSignal[];
  readonly report: Follower['report'];
  /** When the event loop turned last. */
  readonly clock: { turned: number };
}

const paces = new AsyncLocalStorage<Pace>();

/**
 * Does work under the eyes of a follower. A stop asked of the surrounding work counts as well; its report
 * does not.
 */
export const followed = <T>({ stop, report }: Follower, work: () => Promise<T>): Promise<T> => {
  const around = paces.getStore();
  const clock = around?.clock ?? { turned: performance.now() };
  return paces.run({ stops: [...(around?.stops ?? []), ...(stop ? [stop] : [])], report, clock }, work);
};

/** Does work that is this piece of the surrounding work, from one share of it to another. */
export const part = <T>(from: number, to: number, work: () => Promise<T>): Promise<T> => {
  const around = paces.getStore();
  if (!around) return work();
  return paces.run({ ...around, report: (share) => around.report?.(from + (to - from) * share) }, work);
};

/** Does work that leaves nothing whole behind when it is cut short: it pauses, but no stop ends it. */
export const unstoppable = <T>(work: () => Promise<T>): Promise<T> => {
  const around = paces.getStore();
  return around ? paces.run({ ...around, stops: [] }, work) : work();
};

const refuseStopped = ({ stops }: Pace): void => {
  if (stops.some(({ aborted }) => aborted))
    throw new WhetstoneError('cancelled', 'The work was asked to stop.');
};

/**
 * A place between two pieces of work. `share` says how much of it is done. Throws `cancelled` where it was
 * asked to stop.
 */
export const pause = async (share?: number): Promise<void> => {
  const pace = paces.getStore();
  if (!pace) return;
  refuseStopped(pace);
  if (share !== undefined) await pace.report?.(share);
  if (performance.now() - pace.clock.turned < TURN_MS) return;
  await setImmediate();
  pace.clock.turned = performance.now();
  refuseStopped(pace);
};

/** Whether work ended because it was asked to stop. */
export const isStopped = (error: unknown): boolean =>
  error instanceof WhetstoneError && error.kind === 'cancelled';
