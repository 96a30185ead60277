/**
 * Progress and cancellation of long work. Long computations call `pause` between pieces: the event loop
 * turns, so that messages are handled, and cancelled work ends there. The work does not depend on its
 * follower.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { WhetstoneError } from '../common/errors.ts';

/**
 * Longest time between two turns of the event loop, if the work can be divided that finely, in milliseconds.
 */
const TURN_MS = 50;

export interface Follower {
  /** Cancels the work at its next pause. */
  readonly stop?: AbortSignal;
  /** Receives the share of the work done, 0–1. It may receive the same share again, or a smaller one. */
  report?(this: void, share: number): void | Promise<void>;
}

interface Pace {
  readonly stops: readonly AbortSignal[];
  readonly report: Follower['report'];
  /** Time of the event loop's last turn. */
  readonly clock: { turned: number };
}

const paces = new AsyncLocalStorage<Pace>();

/**
 * Runs work with a follower. Cancelling the surrounding work cancels it too; its progress reports do not
 * reach the surrounding work.
 */
export const followed = <T>({ stop, report }: Follower, work: () => Promise<T>): Promise<T> => {
  const around = paces.getStore();
  const clock = around?.clock ?? { turned: performance.now() };
  return paces.run({ stops: [...(around?.stops ?? []), ...(stop ? [stop] : [])], report, clock }, work);
};

/** Runs work as a piece of the surrounding work, mapped to this range of its progress. */
export const part = <T>(from: number, to: number, work: () => Promise<T>): Promise<T> => {
  const around = paces.getStore();
  if (!around) return work();
  return paces.run({ ...around, report: (share) => around.report?.(from + (to - from) * share) }, work);
};

/** Runs work that must not be interrupted: it pauses, but cannot be cancelled. */
export const unstoppable = <T>(work: () => Promise<T>): Promise<T> => {
  const around = paces.getStore();
  return around ? paces.run({ ...around, stops: [] }, work) : work();
};

const refuseStopped = ({ stops }: Pace): void => {
  if (stops.some(({ aborted }) => aborted)) throw new WhetstoneError('cancelled', 'The work was cancelled.');
};

/**
 * Yields between two pieces of work. `share` is the progress. Throws `cancelled` if the work was cancelled.
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

/** True if an error means that the work was cancelled. */
export const isStopped = (error: unknown): boolean =>
  error instanceof WhetstoneError && error.kind === 'cancelled';
