import type { Workbench } from '../services/workbench.ts';

/** Rows of a run's data that exceeded its model's context, by part; all 0 if every row was used. */
export interface LeftOut {
  readonly training: number;
  readonly heldout: number;
  readonly problems: number;
}

const parts = { training: 'training rows', heldout: 'held-out rows', problems: 'held-out problems' } as const;
const metricOf = (part: string): string => `data/too_long/${part}`;

/** The rows that a run left out, from its own report. */
export const leftOutOf = async ({ api }: Pick<Workbench, 'api'>, runId: string): Promise<LeftOut> => {
  const names = Object.keys(parts);
  const series = await api.runs.metrics({
    runIds: [runId],
    names: names.map(metricOf),
    from: 0,
    to: null,
    points: 1000,
  });
  const last = (part: string): number =>
    series.findLast(({ name }) => name === metricOf(part))?.values.at(-1) ?? 0;
  return { training: last('training'), heldout: last('heldout'), problems: last('problems') };
};

/** The same as a sentence; empty if nothing was left out. */
export const leftOutText = (leftOut: LeftOut): string[] => {
  const phrases = Object.entries(parts).flatMap(([part, what]) =>
    leftOut[part as keyof LeftOut] > 0 ? [`${leftOut[part as keyof LeftOut]} ${what}`] : [],
  );
  return phrases.length === 0
    ? []
    : [`Left out, since they are longer than the model’s context: ${phrases.join(', ')}.`];
};
