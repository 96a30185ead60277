import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Sample } from '../../../preload/contract/runs.ts';
import { session } from '../../lib/session.svelte.ts';
import { collapse, pointsIn, shownAt, type Answer } from './answers.ts';

interface Prompt {
  readonly promptId: string;
  readonly prompt: string;
}

/** Most runs whose answers one call returns. */
const MOST_RUNS = 16;

/** Answers of several runs to one prompt, at one step of each. */
export class AnswersState {
  prompts = $state.raw<readonly Prompt[]>([]);
  samples = $state.raw<readonly Sample[]>([]);
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  /** Steps at which any of the runs answered the prompt. */
  points = $derived(pointsIn(this.samples));
  private turn = 0;
  private turnOfSamples = 0;

  /** Loads the prompts that all runs answered; `differing`: only those with other rates of right answers. */
  async list(runIds: readonly string[], differing: boolean): Promise<void> {
    const turn = ++this.turn;
    const ids = runIds.slice(0, MOST_RUNS);
    this.error = null;
    try {
      const { runs, compare } = session.client;
      const prompts =
        ids.length === 0
          ? []
          : differing
            ? (await compare.problems({ runIds: ids, differing, limit: 200 })).problems
            : await runs.commonPrompts({ runIds: ids });
      if (turn !== this.turn) return;
      this.prompts = prompts;
      this.loaded = true;
    } catch (error) {
      if (turn !== this.turn) return;
      this.prompts = [];
      this.error = WhetstoneError.from(error);
    }
  }

  async show(runIds: readonly string[], promptId: string | null): Promise<void> {
    const turn = ++this.turnOfSamples;
    if (promptId === null || runIds.length === 0) {
      this.samples = [];
      return;
    }
    try {
      const { samples } = await session.client.runs.samples({
        runIds: runIds.slice(0, MOST_RUNS),
        purpose: 'evaluation',
        promptId,
        limit: 500,
      });
      if (turn === this.turnOfSamples) this.samples = samples;
    } catch (error) {
      if (turn !== this.turnOfSamples) return;
      this.samples = [];
      this.error = WhetstoneError.from(error);
    }
  }

  /** A run's answers at its last evaluation up to a step, equal ones as one. */
  answersOf(runId: string, step: number | null): { step: number | null; answers: readonly Answer[] } {
    const own = shownAt(
      this.samples.filter((sample) => sample.runId === runId),
      step,
    );
    return { step: own.at(0)?.step ?? null, answers: collapse(own) };
  }
}
