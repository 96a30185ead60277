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
}

/** The computed value of a colour token, for canvases. */
export const cssColor = (variable: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
