import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { ShowableAnswers } from '../../../../preload/contract/answers.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { Checkpoint } from '../../../../preload/contract/runs.ts';
import { allOf } from '../../../lib/pages.ts';

type Client = Pick<WhetstoneClient, 'answers' | 'runs'>;
export type StoredFrom = Parameters<Client['answers']['showable']>[0]['from'];

/** The prompts of stored answers, counted by what rows that show them would learn. */
export class Showable {
  counted = $state.raw<Extract<ShowableAnswers, { state: 'done' }> | null>(null);
  reading = $state.raw<Extract<ShowableAnswers, { state: 'reading' }> | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  /** Of the workspace; null until they are read. */
  checkpoints = $state.raw<readonly Checkpoint[] | null>(null);
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Counts anew; the returned function stops it. */
  count(from: StoredFrom): () => void {
    [this.counted, this.reading, this.error] = [null, null, null];
    if (this.checkpoints === null) void this.readCheckpoints();
    return this.client.answers.showable(
      { from },
      (progress) => {
        if (progress.state === 'done') this.counted = progress;
        else this.reading = progress;
      },
      (error) => {
        if (error) this.error = WhetstoneError.from(error);
      },
    );
  }

  private async readCheckpoints(): Promise<void> {
    try {
      this.checkpoints = await allOf((page) => this.client.runs.checkpoints(page));
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
