import { SvelteMap } from 'svelte/reactivity';
import { settings } from './settings.svelte.ts';

/**
 * Hues in the palette (`--run-0` …); after them hues repeat with a dash, so that colour is never the only
 * mark.
 */
export const HUES = 7;
export interface RunMark {
  readonly index: number;
  readonly variable: string;
  readonly dash: readonly number[];
}

const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** Colour and dash of the `index`-th run of a workspace, everywhere. */
export const markOf = (index: number): RunMark => ({
  index,
  variable: `--run-${index % HUES}`,
  dash: DASHES[Math.floor(index / HUES) % DASHES.length],
});

/**
 * The marks of runs that are shown together, given the index of each: a run keeps its own colour unless an
 * earlier one has the same hue; hues repeat, with another dash, only when none is left.
 */
export function marksAmong(indexes: readonly number[]): readonly RunMark[] {
  const taken: number[] = [];
  for (const own of indexes) {
    const hues = taken.map((index) => index % HUES);
    const free = [own, ...Array.from({ length: HUES }, (_, hue) => hue)].find(
      (index) => !hues.includes(index % HUES),
    );
    // all hues are taken: the first unused dash, of the run's own hue if there is one
    const dashed = DASHES.map((_, dash) => (own % HUES) + dash * HUES);
    const any = Array.from({ length: indexes.length + HUES }, (_, index) => index);
    taken.push(free ?? [...dashed, ...any].find((index) => !taken.includes(index)) ?? own);
  }
  return taken.map(markOf);
}

/** Assigns one stable colour to each run. */
export class RunColors {
  private readonly given = new SvelteMap<string, number>();
  private key = '';

  load(workspaceId: string): void {
    this.key = `run-colors.${workspaceId}`;
    this.given.clear();
    for (const [id, index] of Object.entries(settings.get<Record<string, number>>(this.key, {})))
      this.given.set(id, index);
  }

  assign(runId: string): void {
    if (this.given.has(runId)) return;
    this.given.set(runId, this.given.size ? Math.max(...this.given.values()) + 1 : 0);
    settings.set(this.key, Object.fromEntries(this.given));
  }

  of(runId: string): RunMark {
    return markOf(this.given.get(runId) ?? 0);
  }

  /** Marks that tell these runs apart, by run. */
  among(runIds: readonly string[]): Readonly<Record<string, RunMark | undefined>> {
    const marks = marksAmong(runIds.map((id) => this.given.get(id) ?? 0));
    return Object.fromEntries(runIds.map((id, at) => [id, marks[at]]));
  }
}

/** The computed value of a colour token, for canvases. */
export const cssColor = (variable: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
