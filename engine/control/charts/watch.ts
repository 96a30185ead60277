/**
 * Charts followed along the episodes of copies of a world: what they pay, and how far each episode has come.
 */
import type { WatchedChart } from '../../schema/chart.ts';
import type { CompiledChart } from './chart.ts';
import { chartReward, follow, statesReward, unfollowed, type Followed } from './monitor.ts';

/** A chart with how it pays. */
export interface Watched extends Omit<WatchedChart, 'chart'> {
  readonly compiled: CompiledChart;
}

/** Of a copy by one chart: where it is, and the most states that its episode has reached. Plain data. */
export interface Progress {
  readonly now: Followed;
  readonly best: number;
}

/** Plain data, [charts][copies]. */
export type SavedWatch = readonly (readonly Progress[])[];

/** Follows C charts in N copies, each with O observations. */
export class Watch {
  readonly #charts: readonly Watched[];
  readonly #width: number;
  readonly #progress: Progress[][];

  /** `observations`: [copies × O], the start of each episode. */
  constructor(charts: readonly Watched[], copies: number, observations: Float32Array) {
    this.#charts = charts;
    this.#width = observations.length / copies;
    this.#progress = charts.map(() => Array.from({ length: copies }, () => ({ now: unfollowed, best: 0 })));
    for (let copy = 0; copy < copies; copy++) this.begin(copy, observations);
  }

  /** A copy begins an episode. A state that holds at its start is reached, and pays nothing. */
  begin(copy: number, observations: Float32Array): void {
    this.#charts.forEach(({ compiled }, c) => {
      const now = follow(compiled, unfollowed, observations, copy * this.#width);
      this.#progress[c][copy] = { now, best: now.reached };
    });
  }

  /**
   * What a step pays in a copy, by all charts with their weights. `reached`: [copies × O], what it led to.
   */
  step(copy: number, reached: Float32Array): number {
    const at = copy * this.#width;
    let paid = 0;
    this.#charts.forEach(({ compiled, weight, pays, penalty }, c) => {
      const before = this.#progress[c][copy];
      const now = follow(compiled, before.now, reached, at);
      this.#progress[c][copy] = { now, best: Math.max(before.best, now.reached) };
      if (weight === 0) return;
      paid +=
        weight *
        (pays === 'progress'
          ? chartReward(compiled, before.best, now, reached, at, penalty)
          : statesReward(compiled, reached, at, penalty));
    });
    return paid;
  }

  /** Share of a chart's order that the episode of a copy has reached, at most. */
  share(chart: number, copy: number): number {
    return this.#progress[chart][copy].best / this.#charts[chart].compiled.order.length;
  }

  save(): SavedWatch {
    return this.#progress.map((copies) => [...copies]);
  }

  restore(saved: SavedWatch): void {
    saved.forEach((copies, c) => this.#progress[c].splice(0, copies.length, ...copies));
  }
}
