import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { WorldFacts } from '../../../engine/schema/atlas.ts';
import type { TriedPrompt } from '../../../engine/schema/tried-prompt.ts';
import { NumberEntry, seedBounds } from '../../lib/number-entry.svelte.ts';

export type Asked = { readonly kind: 'model' | 'checkpoint'; readonly id: string };

const SEEDS = 2 ** 32;
const MOST_TOKENS = 4096;

/** The world that the model was trained on, if known. */
export interface OwnWorld {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** State of trying a model on one prompt at a time; closing the feed cancels the answer. */
export class TryState {
  prompt = $state('');
  readonly temperature = new NumberEntry(1, { low: 0, high: 5 });
  readonly maxTokens = new NumberEntry(128, { integer: true, low: 1, high: MOST_TOKENS });
  readonly topP = new NumberEntry(1, { low: 0.01, high: 1 });
  readonly seed = new NumberEntry(0, seedBounds);
  chat = $state(true);
  answer = $state.raw<TriedPrompt | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  /** Index of the token whose numbers are shown. */
  chosen = $state(0);
  /** The world that the prompt is a problem of; empty for none. */
  world = $state('');
  /** Expected answer of the drawn problem. */
  expected = $state<string | null>(null);
  readonly from: Asked;
  private readonly port: Pick<WhetstoneClient['models'], 'try'> &
    Partial<Pick<WhetstoneClient['methods'], 'worldSample'>>;
  private readonly own: OwnWorld | null;
  private release: (() => void) | null = null;
  private drawn = 0;
  /** The request that produced the answer. */
  private of = $state('');

  constructor(
    from: Asked,
    port: TryState['port'],
    own: OwnWorld | null = null,
    worlds: readonly WorldFacts[] = [],
  ) {
    this.from = from;
    this.port = port;
    this.own = own;
    this.world = own?.id ?? '';
    this.makeRoom(worlds.find(({ id }) => id === own?.id));
  }

  // getters, since derived values would not outlive the effect that created this state
  /** Number of tokens that the model generated. */
  get written(): number {
    return this.answer?.tokens.filter(({ by }) => by === 'model').length ?? 0;
  }
  get logp(): number {
    return this.answer?.tokens.reduce((sum, token) => sum + token.logp, 0) ?? 0;
  }
  /** exp of the mean negative log-probability per token. */
  get perplexity(): number {
    return Math.exp(-this.logp / (this.written || 1));
  }

  /** True if the prompt or a setting has changed since the answer. */
  get isOld(): boolean {
    return this.answer !== null && this.of !== JSON.stringify(this.question);
  }

  private get question() {
    const { from, prompt, chat, chosenWorld: world } = this;
    const [temperature, maxTokens, seed] = [this.temperature.value, this.maxTokens.value, this.seed.value];
    const topP = this.topP.value ?? 1;
    return {
      from,
      prompt,
      temperature,
      maxTokens,
      seed,
      ...(!chat && { put: 'plain' as const }),
      ...(topP < 1 && { decoding: { topP } }),
      ...(world && { world }),
    };
  }

  private get chosenWorld(): { id: string; params: Record<string, unknown> } | undefined {
    return this.world === ''
      ? undefined
      : { id: this.world, params: { ...(this.own?.id === this.world && this.own.params) } };
  }

  private makeRoom(facts: Pick<WorldFacts, 'maxTokens'> | undefined): void {
    if (facts) this.maxTokens.set(Math.min(MOST_TOKENS, facts.maxTokens));
  }

  /** Selects a world, sets the token limit to its longest answers, and draws a problem. */
  chooseWorld(id: string, facts: Pick<WorldFacts, 'maxTokens'> | undefined): void {
    this.world = id;
    this.expected = null;
    this.makeRoom(facts);
    if (id !== '') void this.draw();
  }

  /** Draws the next held-out problem of the world as the prompt. */
  async draw(): Promise<void> {
    const { chosenWorld: world, port } = this;
    if (!world || !port.worldSample) return;
    try {
      const { problem } = await port.worldSample({ world, split: 'heldout', index: this.drawn++ });
      [this.prompt, this.expected, this.error] = [problem.prompt, problem.reference, null];
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** True if there is a prompt, and every number field is valid. */
  get ready(): boolean {
    return (
      this.prompt.trim() !== '' &&
      [this.temperature, this.topP, this.maxTokens, this.seed].every(({ value }) => value !== null)
    );
  }

  ask(): void {
    const [temperature, maxTokens, seed] = [this.temperature.value, this.maxTokens.value, this.seed.value];
    if (this.busy || !this.ready || temperature === null || maxTokens === null || seed === null) return;
    this.busy = true;
    this.error = null;
    const question = { ...this.question, temperature, maxTokens, seed };
    this.release = this.port.try(
      question,
      (answer) => {
        [this.answer, this.of] = [answer, JSON.stringify(question)];
        this.chosen = 0;
      },
      (error) => {
        this.busy = false;
        this.release = null;
        if (error) [this.answer, this.error] = [null, WhetstoneError.from(error)];
      },
    );
  }

  /** Samples again with another seed. */
  another(): void {
    if (this.busy || this.seed.value === null) return;
    this.seed.set((this.seed.value + 1) % SEEDS);
    this.ask();
  }

  cancel(): void {
    this.release?.();
    this.release = null;
    this.busy = false;
  }

  move(step: number): void {
    const last = (this.answer?.tokens.length ?? 1) - 1;
    this.chosen = Math.min(last, Math.max(0, this.chosen + step));
  }
}
