import type { Handlers } from '../../preload/contract/define.ts';
import type { WhetstoneContract } from '../../preload/contract/index.ts';
import type { Run } from '../../preload/contract/runs.ts';

/** The product without a screen: the handlers for pages, on a real store and a real engine process. */
export interface Workbench {
  readonly api: { readonly [D in keyof WhetstoneContract]: Handlers<WhetstoneContract[D]> };
  /** Resolves when the run is done, stopped, interrupted or failed. */
  waitForRun(runId: string, onChange?: (run: Run) => void): Promise<Run>;
  close(): Promise<void>;
}
