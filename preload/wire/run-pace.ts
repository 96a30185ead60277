/** Expected duration of runs, by those like them that have ended. */

interface Spec {
  readonly method: { readonly id: string };
  readonly models: unknown;
  readonly adapter: unknown;
  readonly task: unknown;
  readonly budget: { readonly batch: number; readonly steps: number };
  readonly sampling: unknown;
  readonly device: string;
}
interface Timed {
  readonly spec: Spec | null;
  readonly state: string;
  readonly attempt: number;
  readonly step: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly fork?: { readonly step: number };
}

const keyOf = ({ method, models, adapter, task, budget, sampling, device }: Spec): string =>
  JSON.stringify([method.id, models, adapter, task, budget.batch, sampling, device]);

/**
 * Seconds per step of a specification, evaluation and start included: the median over finished runs with the
 * same method, models, data, sizes and device. Null if there are none, or if one was resumed, since its time
 * includes the pause.
 */
export function secondsPerStep(runs: Iterable<Timed>, spec: Spec): number | null {
  const key = keyOf(spec);
  const paces: number[] = [];
  for (const run of runs) {
    const { state, attempt, startedAt, endedAt } = run;
    const steps = run.step - (run.fork?.step ?? 0);
    if (!run.spec || state !== 'done' || attempt !== 1 || steps < 1) continue;
    if (startedAt === null || endedAt === null || keyOf(run.spec) !== key) continue;
    paces.push((endedAt - startedAt) / 1000 / steps);
  }
  paces.sort((a, b) => a - b);
  return paces.length === 0 ? null : (paces[paces.length >> 1] + paces[(paces.length - 1) >> 1]) / 2;
}
