import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { TravelPrompt, TravelStop } from '../../../../preload/contract/travel.ts';

/** Most runs whose answers one call returns. */
export const MOST_RUNS = 16;
/** Answers of an evaluation that can be chosen. */
const SAMPLES = 4;

/** Answers of runs to one prompt over their evaluations. */
export class TravelState {
  prompts = $state.raw<readonly TravelPrompt[]>([]);
  /** True if more prompts match than are listed. */
  more = $state(false);
  /** True once the prompts were read. */
  listed = $state(false);
  prompt = $state<string | null>(null);
  stops = $state.raw<readonly TravelStop[]>([]);
  leftOut = $state(0);
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  /** Number of answers of an evaluation to choose from. */
  readonly samples = $derived(this.stops.reduce((most, { answers }) => Math.max(most, answers.length), 0));
  private readonly client: Pick<WhetstoneClient, 'travel'>;
  private turn = 0;
  private turnOfPrompts = 0;

  constructor(client: Pick<WhetstoneClient, 'travel'>) {
    this.client = client;
  }

  /** Lists the prompts that contain the text. */
  async find(runIds: readonly string[], search: string): Promise<void> {
    const turn = (this.turnOfPrompts += 1);
    try {
      const found = await this.client.travel.prompts({ runIds: runIds.slice(0, MOST_RUNS), search });
      if (turn !== this.turnOfPrompts) return;
      this.prompts = found.prompts;
      this.more = found.more;
      this.listed = true;
    } catch (error) {
      if (turn === this.turnOfPrompts) this.error = WhetstoneError.from(error);
    }
  }

  async show(runIds: readonly string[], promptId: string | null): Promise<void> {
    const turn = (this.turn += 1);
    this.error = null;
    if (promptId === null) {
      this.stops = [];
      return;
    }
    try {
      const { prompt, stops, leftOut } = await this.client.travel.answers({
        runIds: runIds.slice(0, MOST_RUNS),
        promptId,
        samples: SAMPLES,
      });
      if (turn !== this.turn) return;
      [this.prompt, this.stops, this.leftOut, this.loaded] = [prompt, stops, leftOut, true];
    } catch (error) {
      if (turn !== this.turn) return;
      this.stops = [];
      this.error = WhetstoneError.from(error);
    }
  }
}
