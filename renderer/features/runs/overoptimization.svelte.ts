import type { Overoptimization, PressureCurve } from '../../../preload/contract/overoptimization.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Mark } from '../../charts/plot/marks.ts';
import { pressureText } from '../../../preload/wire/pressure.ts';
import { session } from '../../lib/session.svelte.ts';

/** Gold reward of a run over √KL, read again with each evaluation. */
export class OveroptimizationState {
  found = $state.raw<Overoptimization | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  /** The scorer that counts as the proxy; null: the first. */
  proxy = $state<string | null>(null);
  private turn = 0;

  async load(runId: string): Promise<void> {
    const turn = ++this.turn;
    try {
      const found = await session.client.overoptimization.ofRun({ runId, proxy: this.proxy });
      if (turn !== this.turn) return;
      [this.found, this.error] = [found, null];
    } catch (error) {
      if (turn === this.turn) this.error = WhetstoneError.from(error);
    }
  }
}

const titles = { rl: 'this run', 'best-of-n': 'best of n' } as const;
const variables = { rl: '--run-1', 'best-of-n': '--run-0' } as const;
type Form = keyof typeof titles;

/** Points with intervals, their fitted line, and the proxy's gain. */
export function marksOf(form: Form, curve: PressureCurve): Mark[] {
  const at = form === 'rl' ? 'step' : 'n =';
  const common = {
    variable: variables[form],
    x: curve.points.map(({ distance }) => distance),
    texts: curve.points.map((point) => `${titles[form]}, ${at} ${point.at}`),
  };
  const proxies = curve.points.map(({ proxy }) => proxy);
  const marks: Mark[] = [
    {
      ...common,
      kind: 'points',
      name: `gold, ${titles[form]}`,
      y: curve.points.map(({ gold }) => gold),
      yBounds: curve.points.map(({ goldInterval }) => goldInterval),
    },
  ];
  if (curve.line.length > 0)
    marks.push({
      kind: 'line',
      name: `fit, ${titles[form]}`,
      variable: variables[form],
      x: curve.line.map(({ distance }) => distance),
      y: curve.line.map(({ gain }) => gain),
    });
  if (proxies.every((value) => value !== null) && proxies.length > 0)
    marks.push({
      ...common,
      kind: 'line',
      name: `proxy, ${titles[form]} (in deviations)`,
      dash: [4, 3],
      y: proxies.map(Number),
    });
  return marks;
}

/** Course of gold along a curve, in a sentence; empty without a fit. */
export function conclusionOf(form: Form, curve: PressureCurve): string {
  const text = pressureText(curve);
  return text && `${form === 'rl' ? 'This run' : 'Best of n'}: ${text}.`;
}
