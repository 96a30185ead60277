import type { Line } from '../../charts/series.ts';

export interface Curve {
  readonly name: string;
  readonly lines: readonly Line[];
}
export interface Section {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly values: readonly { name: string; step: number; value: number }[];
}

/** Metrics shown first; the others follow by name. */
const FIRST = [
  'reward/mean',
  'rewards/accuracies',
  'loss',
  'kl',
  'reward/total',
  'entropy',
  'eval/gold',
  'eval/accuracy',
  'eval/loss',
];
const upkeep = (name: string) =>
  name.startsWith('seconds/') ||
  ['tokens_per_second', 'learning_rate', 'skipped', 'grad_norm'].includes(name);
const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

/**
 * Groups metrics into training, evaluation, and speed and upkeep. A metric with one point is shown as a
 * number, not a curve.
 */
export function arrange(curves: readonly Curve[]): Section[] {
  const titles = [
    ['Training', (name: string) => !name.startsWith('eval/') && !upkeep(name)],
    ['Evaluation', (name: string) => name.startsWith('eval/')],
    ['Speed and upkeep', upkeep],
  ] as const;
  return titles
    .map(([title, belongs]) => {
      const own = curves
        .filter(({ name }) => belongs(name))
        .sort((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
      const isPoint = ({ lines }: Curve) => lines.every(({ steps }) => steps.length < 2);
      return {
        title,
        curves: own.filter((curve) => !isPoint(curve)),
        values: own
          .filter(isPoint)
          .flatMap(({ name, lines }) =>
            lines
              .filter(({ steps }) => steps.length === 1)
              .map(({ steps, values }) => ({ name, step: steps[0], value: values[0] })),
          ),
      };
    })
    .filter(({ curves: charts, values }) => charts.length + values.length > 0);
}
