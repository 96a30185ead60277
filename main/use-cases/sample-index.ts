import type { IndexProgress } from '../../preload/contract/samples.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { Services } from '../services/services.ts';

interface IndexInput {
  readonly runIds: readonly string[];
  /** True to fill the full-text index too. */
  readonly texts: boolean;
}

/**
 * Derives what the browser of sampled answers looks up, part by part, until it is complete or the signal
 * aborts. One thread reads the answers, and the thread that writes only stores the result, so that the events
 * of a run wait for no more than a part. Texts of runs that still go on are left out. Throws `not-found`.
 */
export async function indexSamples(
  { store }: Services,
  { runIds, texts }: IndexInput,
  signal: AbortSignal,
  push: (progress: IndexProgress) => void,
): Promise<void> {
  const runs = await Promise.all(runIds.map((id) => store.runs.get(id)));
  const ended = runs.filter((run) => !isLive(run)).map(({ id }) => id);
  const first = await store.sampled.pending(runIds);
  const total = first.answers + (texts ? (await store.sampled.pending(ended)).texts : 0);
  let done = 0;
  const add = (count: number): void => {
    done = Math.min(total, done + count);
    push({ done, total });
  };
  add(0);
  for (const id of runIds)
    while (!signal.aborted) {
      const part = await store.sampled.nextPart(id);
      if (part === null) break;
      await store.sampled.putPart(part);
      add(part.count);
    }
  for (const id of texts ? ended : []) {
    let { texts: left } = await store.sampled.pending([id]);
    while (left > 0 && !signal.aborted) {
      await store.sampled.fillTexts(id);
      const { texts: now } = await store.sampled.pending([id]);
      // the run was removed
      if (now >= left) break;
      add(left - now);
      left = now;
    }
  }
}
