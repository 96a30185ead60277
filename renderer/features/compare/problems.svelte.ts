import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { ComparedProblems, ProblemQuery } from '../../../preload/contract/compare.ts';
import { session } from '../../lib/session.svelte.ts';

/** A page of problems with the rates of the chosen runs; the last request wins. */
export class ProblemsState {
  value = $state.raw<ComparedProblems | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private turn = 0;

  async show(query: ProblemQuery): Promise<void> {
    const turn = ++this.turn;
    this.error = null;
    try {
      const value = await session.client.compare.problems(query);
      if (turn === this.turn) this.value = value;
    } catch (error) {
      if (turn !== this.turn) return;
      this.value = null;
      this.error = WhetstoneError.from(error);
    }
  }
}
