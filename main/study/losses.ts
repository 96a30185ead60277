import type { Workbench } from '../services/workbench.ts';

/** Points (step, nats per token). */
type Curve = [number, number][];

/** A run's training loss and held-out loss. */
export interface LossCurves {
  readonly training: Curve;
  readonly heldout: Curve;
}

export async function lossCurves({ api }: Workbench, runId: string): Promise<LossCurves> {
  const losses = await api.runs.metrics({
    runIds: [runId],
    names: ['loss', 'eval/loss'],
    from: 0,
    to: null,
    points: 1000,
  });
  const curve = (name: string): Curve =>
    losses
      .filter((s) => s.name === name)
      .flatMap((s) => [...s.steps].map((x, i): [number, number] => [x, s.values[i]]));
  return { training: curve('loss'), heldout: curve('eval/loss') };
}
