import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { SampleToken, SampleTokens } from '../../../../preload/contract/samples.ts';

/** Numbers that tint the tokens of an answer. */
export const tints = ['log-ratio', 'entropy', 'surprise'] as const;
export type Tint = (typeof tints)[number];

/**
 * The number of a token, in nats. `log-ratio`: log p under the checkpoint minus log p when it was sampled; null
 * for tokens by another author than the model. `surprise`: −log p when it was sampled.
 */
export function tintValue({ logp, sampled, entropy }: SampleToken, tint: Tint): number | null {
  if (tint === 'entropy') return entropy;
  // the world's tokens are stored with log-probability 0
  if (sampled === 0) return null;
  return tint === 'log-ratio' ? logp - sampled : -sampled;
}

/** Strength of a tint between −1 and 1; numbers beyond the 95th percentile of their size have the full one. */
export function tintStrengths(tokens: readonly SampleToken[], tint: Tint): readonly number[] {
  const values = tokens.map((token) => tintValue(token, tint) ?? 0);
  const sizes = values
    .map(Math.abs)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const most = sizes[Math.min(sizes.length - 1, Math.floor(0.95 * sizes.length))] ?? 0;
  return values.map((value) =>
    most === 0 || Number.isNaN(value) ? 0 : Math.max(-1, Math.min(1, value / most)),
  );
}

/** The tokens of one answer, recomputed on request. */
export class TokensState {
  found = $state.raw<SampleTokens | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  tint = $state<Tint>('log-ratio');
  private turn = 0;
  private readonly port: Pick<WhetstoneClient['samples'], 'tokens'>;

  constructor(port: Pick<WhetstoneClient['samples'], 'tokens'>) {
    this.port = port;
  }

  /** Forgets the tokens, as another answer is shown. */
  reset(): void {
    this.turn += 1;
    [this.found, this.error, this.busy] = [null, null, false];
  }

  async load(id: string): Promise<void> {
    this.reset();
    const { turn } = this;
    this.busy = true;
    try {
      const found = await this.port.tokens({ id });
      if (turn === this.turn) this.found = found;
    } catch (error) {
      if (turn === this.turn) this.error = WhetstoneError.from(error);
    } finally {
      if (turn === this.turn) this.busy = false;
    }
  }
}
