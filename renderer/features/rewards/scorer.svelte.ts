import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';

interface Text {
  readonly prompt: string;
  readonly completion: string;
}
/** The scorer: the newest checkpoint of a run, a checkpoint, or an added model. */
export interface Judge {
  readonly kind: 'run' | 'checkpoint' | 'model';
  readonly id: string;
}

/**
 * Scores one answer after each edit, at once: one text at a time, and the newest one as soon as the last is
 * scored. Outdated scores are dropped, and an error clears the score.
 */
export class ScorerState {
  prompt = $state('');
  completion = $state('');
  score = $state<number | null>(null);
  busy = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  kept = $state.raw<readonly (Text & { id: number; score: number })[]>([]);
  private readonly from: Judge;
  private readonly port: Pick<WhetstoneClient['rewards'], 'score'>;
  private isAsking = false;
  private turn = 0;

  constructor(from: Judge, port: Pick<WhetstoneClient['rewards'], 'score'>) {
    this.from = from;
    this.port = port;
  }

  // a getter, since a derived value would not outlive the effect that created this state
  get change(): number | null {
    return this.score !== null && this.kept.length ? this.score - this.kept[0].score : null;
  }

  edit({ prompt = this.prompt, completion = this.completion }: Partial<Text>): void {
    this.prompt = prompt;
    this.completion = completion;
    this.turn += 1;
    this.busy = true;
    if (!this.isAsking) void this.follow();
  }

  keep(): void {
    // while a new text is being scored, the previous score stays
    if (this.score === null || this.busy) return;
    this.kept = [
      { id: this.turn, prompt: this.prompt, completion: this.completion, score: this.score },
      ...this.kept.filter(
        ({ completion, prompt }) => completion !== this.completion || prompt !== this.prompt,
      ),
    ].slice(0, 8);
  }

  /** Scores until the newest text is scored. */
  private async follow(): Promise<void> {
    this.isAsking = true;
    while (this.busy) await this.ask(this.turn, { prompt: this.prompt, completion: this.completion });
    this.isAsking = false;
  }

  private async ask(turn: number, item: Text): Promise<void> {
    try {
      const { scores } = await this.port.score({ from: this.from, items: [item] });
      if (turn !== this.turn) return;
      this.score = scores[0] ?? null;
      this.error = null;
    } catch (error) {
      if (turn === this.turn) [this.score, this.error] = [null, WhetstoneError.from(error)];
    } finally {
      if (turn === this.turn) this.busy = false;
    }
  }
}
