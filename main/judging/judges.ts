import { Judge } from './judge.ts';
import type { JudgeSources } from './sources.ts';

/** The judges of the open workspace's label sets. */
export class Judges {
  readonly #sources: JudgeSources;
  readonly #judges = new Map<string, Judge>();

  constructor(sources: JudgeSources) {
    this.#sources = sources;
  }

  of(setId: string): Judge {
    const known = this.#judges.get(setId) ?? new Judge(this.#sources, setId);
    this.#judges.set(setId, known);
    return known;
  }

  /** A label was stored: watched judges look for work soon. */
  noticed(): void {
    for (const judge of this.#judges.values()) judge.noticed();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#judges.values()].map((judge) => judge.close()));
  }
}
