import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { CreditUnit, InsideAnswer } from '../../../engine/schema/inside.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';

export type CreditedUnit = InsideAnswer['units'][number];
export type Tint = 'credit' | 'state' | 'deletion';
export type Side = 'chosen' | 'rejected';

export const tints: Readonly<Record<Tint, string>> = {
  credit: 'credit, prefix by prefix',
  state: 'credit in one pass',
  deletion: 'effect of deletion',
};
export const units: Readonly<Record<CreditUnit | 'auto', string>> = {
  auto: 'finest up to 160',
  tokens: 'tokens',
  words: 'words',
  sentences: 'sentences',
  steps: 'steps',
};

/** Shares of the largest absolute value, −1 to 1; 0 for units without a value, or if all are 0. */
export const strengths = (all: readonly CreditedUnit[], tint: Tint): number[] => {
  const values = all.map((unit) => unit[tint] ?? 0);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return values.map((value) => (largest === 0 ? 0 : value / largest));
};

/** Credit of the parts of one answer to one prompt, typed or of an inspected pair. */
export class InsideState {
  prompt = $state('');
  completion = $state('');
  unit = $state<CreditUnit | 'auto'>('auto');
  tint = $state<Tint>('credit');
  /** The part that is looked at. */
  chosen = $state(0);
  found = $state.raw<InsideAnswer | null>(null);
  busy = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly runId: string;
  private readonly client: Pick<WhetstoneClient, 'inside' | 'inspections'>;
  private answered = $state('');
  private shownPair = '';

  constructor(runId: string, client: Pick<WhetstoneClient, 'inside' | 'inspections'>) {
    [this.runId, this.client] = [runId, client];
  }

  private get question(): string {
    return JSON.stringify([this.prompt, this.completion, this.unit]);
  }
  /** True if the text or the parts were changed after the result. */
  get isOld(): boolean {
    return this.found !== null && this.question !== this.answered;
  }

  /** Takes an answer of an inspected pair, and looks inside it; nothing for the one that is shown. */
  async take(position: number, side: Side): Promise<void> {
    const key = `${position}/${side}`;
    if (key === this.shownPair) return;
    this.shownPair = key;
    try {
      const filter = { mark: { kind: 'positions' as const, positions: [position] } };
      const { pairs } = await this.client.inspections.pairs({
        runId: this.runId,
        filter,
        offset: 0,
        limit: 1,
      });
      if (key !== this.shownPair) return;
      [this.prompt, this.completion] = [pairs[0].prompt, pairs[0][side]];
      await this.look();
    } catch (error) {
      if (key === this.shownPair) this.error = WhetstoneError.from(error);
    }
  }

  /** Computes the credit; the result of an earlier text is replaced, and cleared by an error. */
  async look(): Promise<void> {
    const { prompt, completion, unit, question } = this;
    this.busy = true;
    this.error = null;
    try {
      const from = { kind: 'run' as const, id: this.runId };
      const found = await this.client.inside.answer({
        from,
        prompt,
        completion,
        ...(unit !== 'auto' && { unit }),
      });
      if (question !== this.question) return;
      [this.found, this.answered, this.chosen] = [found, question, 0];
      if (this.tint === 'state' && found.units.every(({ state }) => state === null)) this.tint = 'credit';
    } catch (error) {
      if (question === this.question) [this.found, this.error] = [null, WhetstoneError.from(error)];
    } finally {
      this.busy = false;
    }
  }

  /** Moves to another part. */
  move(step: number): void {
    const last = (this.found?.units.length ?? 0) - 1;
    this.chosen = Math.max(0, Math.min(last, this.chosen + step));
  }
}
