import type { WhetstoneError } from '../../../../engine/common/errors.ts';
import type {
  Forecast,
  ForecastTarget,
  Inheritance,
  InheritedRecipe,
} from '../../../../preload/contract/inheritance.ts';
import { session } from '../../../lib/session.svelte.ts';

/** The matrix of a plan, read again as its runs end, and the forecast that was asked for. */
export class InheritanceState {
  found = $state.raw<Inheritance | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  forecast = $state.raw<Forecast | null>(null);
  /** True while distances are measured. */
  isMeasuring = $state(false);
  private readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  async read(): Promise<void> {
    try {
      this.found = await session.client.plans.inheritance({ id: this.id });
      this.error = null;
    } catch (error) {
      this.error = error as WhetstoneError;
    }
  }

  /**
   * Measures how far the tasks, and other data, are from what the start learned; a refusal shows a notice.
   */
  async measure(target: ForecastTarget | null): Promise<void> {
    this.isMeasuring = true;
    try {
      const { id } = this;
      const forecast = await session.attempt(() => session.client.plans.forecast({ id, target }));
      if (forecast) this.forecast = forecast;
    } finally {
      this.isMeasuring = false;
    }
  }
}

/** Finished adaptations of all recipes. */
export const finishedRuns = ({ recipes }: Pick<Inheritance, 'recipes'>): number =>
  recipes.reduce((sum, { tasks }) => sum + tasks.filter(({ retention }) => retention !== null).length, 0);

/** An axis that all intervals of the recipes fit on, with 0. */
export function domainOf(recipes: readonly InheritedRecipe[]): readonly [number, number] {
  const all = recipes.flatMap(({ retentionInterval, gainInterval, retention, gain }) => [
    ...(retentionInterval ?? []),
    ...(gainInterval ?? []),
    ...[retention, gain].filter((value) => value !== null),
  ]);
  return [Math.min(0, ...all), Math.max(0, ...all)];
}

/** Background of a change of accuracy: blue for a gain, orange for a loss; none of an unknown one. */
export function tintOf(change: number | null): string {
  if (change === null) return 'transparent';
  const percent = Math.round(60 * Math.min(1, Math.abs(change)));
  return `color-mix(in oklab, var(--run-${change > 0 ? 0 : 1}) ${percent}%, transparent)`;
}
