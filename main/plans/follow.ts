import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Plan, PlanNode } from '../../preload/contract/plans.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { Services } from '../services/services.ts';
import { waitForRun } from '../services/workbench.ts';
import { plansOf } from './index.ts';

export interface Following {
  /** Stops the plan, which can go on later. */
  readonly signal?: AbortSignal;
  /** Gets the plan at first and whenever one of its nodes has ended. */
  readonly onPlan?: (plan: Plan) => void;
  /** Gets each change of the run in progress. */
  readonly onRun?: (run: Run, node: PlanNode) => void;
  /** Gets the reason if it could not be stopped. */
  readonly onError?: (message: string) => void;
}

/** Waits until nothing of a plan is in progress, and returns it as it is then. */
export async function followPlan(
  services: Services,
  id: string,
  { signal, onPlan, onRun, onError }: Following,
): Promise<Plan> {
  const plans = plansOf(services);
  const stop = (): void =>
    void plans.stop(id).catch((error: unknown) => onError?.(WhetstoneError.from(error).message));
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      const now = await plans.get(id);
      onPlan?.(now);
      const live = now.nodes.find(
        ({ runId, state }) => runId !== null && isLive({ state: state as 'running' }),
      );
      if (live?.runId) await waitForRun(services, live.runId, (run) => onRun?.(run, live));
      else {
        await plans.settled();
        const then = await plans.get(id);
        if (then.state !== 'running') return then;
        // a run has ended, and what follows has yet to be started
        await plans.advance(id);
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
