import type { Handlers } from '../../preload/contract/define.ts';
import type { WhetstoneContract } from '../../preload/contract/index.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { Services } from './services.ts';

/** The product without a screen: the handlers for pages, on a real store and a real engine process. */
export interface Workbench {
  readonly api: { readonly [D in keyof WhetstoneContract]: Handlers<WhetstoneContract[D]> };
  /** Resolves when the run is done, stopped, interrupted or failed. */
  waitForRun(runId: string, onChange?: (run: Run) => void): Promise<Run>;
}

/**
 * Resolves when the run has ended; `onChange` receives every committed change, the present state first. A run that
 * is waited for starts in its turn even if the queue is paused, since whoever waits has asked for it.
 */
export async function waitForRun(
  services: Services,
  runId: string,
  onChange: (run: Run) => void = () => undefined,
): Promise<Run> {
  const { promise, resolve } = Promise.withResolvers<Run>();
  const hear = (run: Run): void => {
    onChange(run);
    if (!isLive(run)) resolve(run);
  };
  const stop = services.queue.watch(({ run }) => {
    if (run.id === runId) hear(run);
  });
  try {
    services.queue.ask(runId);
    hear(await services.store.runs.get(runId));
    return await promise;
  } finally {
    stop();
  }
}
