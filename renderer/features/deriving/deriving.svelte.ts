import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Dataset } from '../../../preload/contract/datasets.ts';
import type { DerivingProgress, Recipe, RecipePlan } from '../../../preload/contract/deriving.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { Task } from '../../lib/task.svelte.ts';

type Client = WhetstoneClient['deriving'];
type Copying = Extract<DerivingProgress, { state: 'copying' }>;

/** Pause after a change of a recipe before its rows are counted. */
const PAUSE_MS = 250;

/** Plans a recipe while it is typed, and makes the dataset. */
export class DerivingState {
  plan = $state.raw<RecipePlan | null>(null);
  /** Why the recipe cannot be used. */
  fault = $state.raw<WhetstoneError | null>(null);
  planning = $state(false);
  working = $state.raw<Copying | null>(null);
  readonly task = new Task();
  private readonly client: Client;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private release: () => void = () => undefined;

  constructor(client: Client) {
    this.client = client;
  }

  /** Counts the rows of a recipe soon; an answer to an older one is dropped. */
  consider(recipe: Recipe | null, pause = PAUSE_MS): void {
    clearTimeout(this.timer);
    this.asked += 1;
    [this.plan, this.fault, this.planning] = [null, null, recipe !== null];
    if (recipe) this.timer = setTimeout(() => void this.ask(recipe, this.asked), pause);
  }

  private async ask(recipe: Recipe, asked: number): Promise<void> {
    try {
      const plan = await this.client.plan({ recipe });
      if (asked === this.asked) [this.plan, this.planning] = [plan, false];
    } catch (error) {
      if (asked === this.asked) [this.fault, this.planning] = [WhetstoneError.from(error), false];
    }
  }

  /** Makes the dataset; null if that failed or was cancelled. */
  async make(recipe: Recipe, name: string): Promise<Dataset | null> {
    if (this.task.busy) return null;
    const made: Dataset[] = [];
    await this.task.run(async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const close = this.client.make(
        { recipe, name },
        (progress) => {
          if (progress.state === 'done') made.push(progress.dataset);
          else this.working = progress;
        },
        (error) => (error === undefined ? resolve() : reject(WhetstoneError.from(error))),
      );
      this.release = () => {
        close();
        reject(new WhetstoneError('cancelled', 'No dataset was made.'));
      };
      await promise;
    });
    this.release = () => undefined;
    this.working = null;
    return made.at(0) ?? null;
  }

  /** Tags the rows of a sample. Returns the number of rows that got the tag; null if that failed. */
  async tag(recipe: Recipe, tag: string): Promise<number | null> {
    const counts: number[] = [];
    await this.task.run(async () => {
      counts.push((await this.client.tag({ recipe, tag }))?.rows ?? 0);
    });
    return counts.at(0) ?? null;
  }

  /** Cancels the making; nothing of it is kept. */
  cancel(): void {
    this.release();
  }

  /** Ends the work when its panel closes. */
  close(): void {
    clearTimeout(this.timer);
    this.asked += 1;
    this.cancel();
  }
}
