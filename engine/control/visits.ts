import type { Copies } from './copies.ts';

/** How often copies of a world with countable states have been in each; nothing is counted in another. */
export class Visits {
  private readonly counts: Float64Array;

  /** `saved`: the counts so far; without them the start states of the copies are counted. */
  constructor(copies: Copies, saved?: readonly number[]) {
    this.counts = new Float64Array(copies.world.table?.size ?? 0);
    if (saved) this.counts.set(saved);
    else this.count(copies.indices);
  }

  count(indices: Uint32Array): void {
    if (this.counts.length > 0) for (const index of indices) this.counts[index]++;
  }

  /** Share of the states that have been visited. */
  get visited(): number {
    return this.counts.length === 0 ? 0 : this.counts.filter((n) => n > 0).length / this.counts.length;
  }

  /** Entropy of the visits over the log of the number of states: 1 if all are visited as often. */
  get spread(): number {
    const total = this.counts.reduce((sum, n) => sum + n, 0);
    if (this.counts.length < 2) return 0;
    const entropy = this.counts.reduce(
      (sum, n) => (n > 0 ? sum - (n / total) * Math.log(n / total) : sum),
      0,
    );
    return entropy / Math.log(this.counts.length);
  }

  save(): readonly number[] {
    return [...this.counts];
  }
}
