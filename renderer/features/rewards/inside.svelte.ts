import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { CreditUnit, InsideAnswer } from '../../../engine/schema/inside.ts';
import type { StepwiseAnswer } from '../../../preload/contract/inside.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { StepsState } from './steps/steps.svelte.ts';

export type CreditedUnit = InsideAnswer['units'][number];
export type Tint = 'credit' | 'state' | 'deletion';
export type Side = 'chosen' | 'rejected';
export type View = 'credit' | 'steps';

/** An answer of an inspected pair, or an item of a report of ProcessBench. */
export type Origin =
  | { readonly kind: 'pair'; readonly position: number; readonly side: Side }
  | { readonly kind: 'item'; readonly reportId: string; readonly position: number };

const positionOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;

/** The answer that an address names; null if it names none. */
export function originOf(query: Readonly<Record<string, string>>): Origin | null {
  const [pair, item] = [positionOf(query.pair), positionOf(query.item)];
  if (query.report && item !== null) return { kind: 'item', reportId: query.report, position: item };
  const side = query.side === 'rejected' ? 'rejected' : 'chosen';
  return pair === null ? null : { kind: 'pair', position: pair, side };
}

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

/** Credit of the parts and scores of the steps of one answer to one prompt, typed or from an address. */
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
  readonly steps: StepsState;
  private readonly client: Pick<WhetstoneClient, 'inside' | 'inspections' | 'suites'>;
  private answered = $state('');
  /** The origin whose text was taken, and its text. */
  private taken = '';
  private item = $state.raw<{ readonly answer: StepwiseAnswer; readonly text: string } | null>(null);

  constructor(runId: string, client: Pick<WhetstoneClient, 'inside' | 'inspections' | 'suites'>) {
    [this.runId, this.client] = [runId, client];
    this.steps = new StepsState(runId, client);
  }

  private get question(): string {
    return JSON.stringify([this.prompt, this.completion, this.unit]);
  }
  /** True if the text or the parts were changed after the result. */
  get isOld(): boolean {
    return this.found !== null && this.question !== this.answered;
  }
  /** The answer in steps: an item of a report while its text is unchanged. */
  private get stepwise(): StepwiseAnswer {
    const { prompt, completion, item } = this;
    return item?.text === JSON.stringify([prompt, completion]) ? item.answer : { prompt, completion };
  }
  /** True if the text or the threshold was changed after the scores of the steps. */
  get areStepsOld(): boolean {
    return this.steps.found !== null && this.steps.questionOf(this.stepwise) !== this.steps.answered;
  }

  /** Takes the answer that an address names, and looks at it in a view; nothing for what is shown. */
  async show(origin: Origin | null, view: View): Promise<void> {
    if (origin !== null && !(await this.take(origin))) return;
    if (origin === null && this.found === null && this.steps.found === null) return;
    const isShown =
      view === 'steps' ? this.steps.found !== null && !this.areStepsOld : this.found !== null && !this.isOld;
    if (!isShown) await this.look(view);
  }

  private async take(origin: Origin): Promise<boolean> {
    const key = JSON.stringify(origin);
    if (key === this.taken) return true;
    this.taken = key;
    try {
      const [prompt, completion] = await this.textOf(origin);
      if (key !== this.taken) return false;
      [this.prompt, this.completion] = [prompt, completion];
      const { position } = origin;
      this.item =
        origin.kind === 'item'
          ? { answer: { reportId: origin.reportId, position }, text: JSON.stringify([prompt, completion]) }
          : null;
      return true;
    } catch (error) {
      if (key === this.taken) this.error = WhetstoneError.from(error);
      return false;
    }
  }

  private async textOf(origin: Origin): Promise<readonly [prompt: string, completion: string]> {
    const { position } = origin;
    if (origin.kind === 'item') {
      const { prompt, completion } = await this.client.suites.item({ id: origin.reportId, position });
      return [prompt, completion];
    }
    const filter = { mark: { kind: 'positions' as const, positions: [position] } };
    const { pairs } = await this.client.inspections.pairs({ runId: this.runId, filter, offset: 0, limit: 1 });
    return [pairs[0].prompt, pairs[0][origin.side]];
  }

  /** Computes what a view shows of the text. */
  look(view: View): Promise<void> {
    return view === 'steps' ? this.steps.look(this.stepwise) : this.lookAtParts();
  }

  /** Computes the credit; the result of an earlier text is replaced, and cleared by an error. */
  private async lookAtParts(): Promise<void> {
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
