import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { ShowableAnswers } from '../../../../preload/contract/answers.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';

type Client = Pick<WhetstoneClient['answers'], 'showable'>;
export type StoredFrom = Parameters<Client['showable']>[0]['from'];

/** The prompts of stored answers, counted by what rows that show them would learn. */
export class Showable {
  counted = $state.raw<Extract<ShowableAnswers, { state: 'done' }> | null>(null);
  reading = $state.raw<Extract<ShowableAnswers, { state: 'reading' }> | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Counts anew; the returned function stops it. */
  count(from: StoredFrom): () => void {
    [this.counted, this.reading, this.error] = [null, null, null];
    return this.client.showable(
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
}
