import { WhetstoneError } from '../../engine/common/errors.ts';

export const stopped = (): WhetstoneError =>
  new WhetstoneError('cancelled', 'The judge’s work was cancelled.');

/** The result of work, or `cancelled` as soon as the signal aborts: the engine may take seconds to notice. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  // reported by the race; a later rejection of abandoned work is none of anyone's business
  work.catch(() => undefined);
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(stopped());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
