import { WhetstoneError } from '../../../engine/schema/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { TriedPrompt } from '../../../preload/contract/models.ts';

export type Asked = { readonly kind: 'model' | 'checkpoint'; readonly id: string };

const SEEDS = 2 ** 32;

/** One prompt at a time to one model; letting go of the feed cancels the answer. */
export class TryState {
  prompt = $state('');
  temperature = $state(1);
  maxTokens = $state(128);
  seed = $state(0);
  chat = $state(true);
  answer = $state.raw<TriedPrompt | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  /** The token whose numbers are shown. */
  chosen = $state(0);
  logp = $derived(this.answer?.tokens.reduce((sum, token) => sum + token.logp, 0) ?? 0);
  /** exp of the mean negative log-probability of a token. */
  perplexity = $derived(Math.exp(-this.logp / (this.answer?.tokens.length || 1)));
  readonly from: Asked;
  private readonly port: Pick<WhetstoneClient['models'], 'try'>;
  private release: (() => void) | null = null;

  constructor(from: Asked, port: Pick<WhetstoneClient['models'], 'try'>) {
    this.from = from;
    this.port = port;
  }

  ask(): void {
    if (this.busy || !this.prompt.trim()) return;
    this.busy = true;
    this.error = null;
    const { from, prompt, temperature, maxTokens, seed, chat } = this;
    this.release = this.port.try({ from, prompt, temperature, maxTokens, seed, ...(!chat && { put: 'plain' }) }, (answer) => {
      this.answer = answer;
      this.chosen = 0;
    }, (error) => {
      this.busy = false;
      this.release = null;
      if (error) this.error = WhetstoneError.from(error);
    });
  }

  /** The same prompt with other draws. */
  another(): void {
    if (this.busy) return;
    this.seed = (this.seed + 1) % SEEDS;
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
