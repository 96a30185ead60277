import { WhetstoneError } from '../../engine/common/errors.ts';
import type { AnswersProgress } from '../../preload/contract/answers.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';

type Client = WhetstoneClient['answers'];
type Input = Parameters<Client['save']>[0];
type From = Input['from'];
type Saving = Extract<AnswersProgress, { state: 'saving' }>;
type Done = Extract<AnswersProgress, { state: 'done' }>;

const none: Done['leftOut'] = { count: 0, first: [] };

/** Answers of a run or a model that become a dataset. */
export class SavingAnswers {
  working = $state.raw<Saving | null>(null);
  busy = $state(false);
  saved = $state.raw<Dataset | null>(null);
  faults = $state(0);
  /** Prompts that the model could not answer. */
  leftOut = $state.raw<Done['leftOut']>(none);
  error = $state.raw<WhetstoneError | null>(null);
  /** Result of a cancellation, in words. */
  cancelled = $state('');
  /** A dataset may have been made. */
  onChanged: () => void = () => undefined;
  private readonly client: Client;
  private release: (() => void) | null = null;

  constructor(client: Client) {
    this.client = client;
  }

  /** `keep`: what a cancellation leaves; `operators`: what makes the rows of the answers. */
  save(from: From, name: string, keep: 'nothing' | 'done', operators: Input['operators'] = []): void {
    if (this.busy) return;
    [this.busy, this.saved, this.error, this.cancelled, this.faults] = [true, null, null, '', 0];
    this.leftOut = none;
    const close = this.client.save(
      { from, name, keep, operators },
      (progress) => {
        if (progress.state === 'saving') this.working = progress;
        else {
          [this.saved, this.faults] = [progress.dataset, progress.scoringFaults];
          this.leftOut = progress.leftOut;
        }
      },
      (error) => {
        this.end();
        if (error) this.error = WhetstoneError.from(error);
        this.onChanged();
      },
    );
    this.release = () => {
      const done = this.working?.done ?? 0;
      this.end();
      close();
      void this.settle(keep === 'done' && done > 0);
    };
  }

  cancel(): void {
    this.release?.();
  }

  private async settle(isKept: boolean): Promise<void> {
    try {
      await this.client.settle({});
      this.cancelled = isKept
        ? 'Cancelled: the answers made so far are a dataset, as its name says.'
        : 'Cancelled: nothing was kept.';
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
    this.onChanged();
  }

  private end(): void {
    [this.busy, this.working, this.release] = [false, null, null];
  }
}
