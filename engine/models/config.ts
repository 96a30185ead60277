import type { Architecture } from '../schema/model.ts';
import type { CheckpointFacts } from '../schema/messages.ts';
import { specials } from '../text/tokenizer.ts';

export type Head = CheckpointFacts['head'];

/**
 * What every model has. `head` says what it computes: log-probabilities of next tokens, or one number for a
 * sequence.
 */
interface CommonConfig {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Longest sequence, in tokens. */
  readonly context: number;
  /** Number of token ids. */
  readonly vocabulary: number;
  readonly head: Head;
  /** Numbers that a reward head gives; one where absent. */
  readonly labels?: number;
  /**
   * Stands behind the end of shorter rows; a reward is read at the last token that is another. Null where the
   * model names none.
   */
  readonly pad: number | null;
}

export interface Gpt2Config extends CommonConfig {
  readonly family: 'gpt2';
  readonly layerNormEpsilon: number;
}

/**
 * Rotary position embedding: angles position · θ^(−2i/S), and how they are stretched for sequences longer
 * than those it was trained on.
 */
export interface RotaryConfig {
  readonly theta: number;
  readonly scaling:
    | { readonly kind: 'none' }
    | { readonly kind: 'linear'; readonly factor: number }
    | {
        readonly kind: 'llama3';
        readonly factor: number;
        readonly lowFrequencyFactor: number;
        readonly highFrequencyFactor: number;
        readonly trainedContext: number;
      }
    | {
        readonly kind: 'yarn';
        readonly factor: number;
        readonly trainedContext: number;
        readonly betaFast: number;
        readonly betaSlow: number;
        readonly attentionFactor: number;
        readonly truncate: boolean;
      };
}

/** Members of the Llama family, by the names that their configurations give themselves. */
export const dialects = ['llama', 'mistral', 'qwen2', 'qwen3', 'gemma2', 'gemma3_text'] as const;
export type Dialect = (typeof dialects)[number];

/**
 * Blocks of RMS norm, rotary positions, grouped-query attention and a gated network, with what the members of
 * the family vary.
 */
export interface LlamaConfig extends CommonConfig {
  readonly family: 'llama';
  readonly dialect: Dialect;
  /** Heads of keys and values; each serves heads / kvHeads queries. */
  readonly kvHeads: number;
  /** Size of a head; need not be width / heads. */
  readonly headSize: number;
  /** Width of the gated network. */
  readonly innerWidth: number;
  readonly normEpsilon: number;
  /** Whether the embedding serves as output matrix too. */
  readonly tied: boolean;
  readonly attentionBias: 'none' | 'query-key-value' | 'all';
  readonly innerBias: boolean;
  /** RMS norm of each head's query and key (Qwen3, Gemma 3). */
  readonly headNorm: boolean;
  readonly activation: 'silu' | 'gelu-tanh';
  /** Attention scores are query · key · scale. */
  readonly scale: number;
  readonly rotary: RotaryConfig;
  /** Rotary embedding of the layers with a window, where it is another (Gemma 3). */
  readonly windowRotary: RotaryConfig | null;
  /** Of each layer: how many tokens back it sees, itself included; null for all. */
  readonly windows: readonly (number | null)[];
  /** Gemma: norms behind each part as well, gains stored less 1, embeddings times √width. */
  readonly gemma: boolean;
  /** Scores and logits are bent to cap · tanh(x / cap) (Gemma 2). */
  readonly scoreCap: number | null;
  readonly logitCap: number | null;
}

/** Shape of a model, and which family computes it. */
export type ModelConfig = Gpt2Config | LlamaConfig;

/** Configuration of a new model. */
export const configOf = (
  architecture: Architecture,
  vocabulary: number,
  head: Head = 'next-token',
): Gpt2Config => ({ ...architecture, vocabulary, head, pad: specials.pad, layerNormEpsilon: 1e-5 });

/**
 * Standard deviation of new weights: GPT-2's 0.02 at its own width of 768, and ∝ 1/√width elsewhere, so that
 * a narrow model's products start at the same scale as the wide one's. A constant 0.02 leaves a model of
 * width 64 close to linear for its first hundreds of steps.
 */
export const initialDeviation = (width: number): number => 0.02 * Math.sqrt(768 / width);
