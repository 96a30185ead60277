import type { Architecture, NetworkOutputs, SoftPrompt } from '../schema/model.ts';
import type { CheckpointFacts } from '../schema/messages.ts';
import { specials } from '../text/tokenizer.ts';

export type Head = CheckpointFacts['head'];

/**
 * Fields of every model configuration. `head` names its output: log-probabilities of next tokens, or one
 * number per sequence.
 */
interface CommonConfig {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Longest sequence, in tokens. */
  readonly context: number;
  /** Size of the tokenizer vocabulary. */
  readonly vocabulary: number;
  readonly head: Head;
  /** Number of outputs of a reward head; 1 by default. */
  readonly labels?: number;
  /**
   * Padding token after the end of shorter rows; a reward is read at the last token that is not padding.
   * Null if the model names none.
   */
  readonly pad: number | null;
  /** The random direction of each answer that a model on text reads; absent: none. */
  readonly softPrompt?: SoftPrompt;
}

export interface Gpt2Config extends CommonConfig {
  readonly family: 'gpt2';
  readonly layerNormEpsilon: number;
}

/**
 * Rotary position embedding: angles position · θ^(−2i/S), and their scaling for sequences longer than those
 * in pretraining.
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

/** Members of the Llama family, by the `model_type` of their configurations. */
export const dialects = ['llama', 'mistral', 'qwen2', 'qwen3', 'gemma2', 'gemma3_text'] as const;
export type Dialect = (typeof dialects)[number];

/**
 * Blocks of RMS norm, rotary positions, grouped-query attention and a gated MLP, with the variations of the
 * family's members.
 */
export interface LlamaConfig extends CommonConfig {
  readonly family: 'llama';
  readonly dialect: Dialect;
  /** Key/value heads; each serves heads / kvHeads queries. */
  readonly kvHeads: number;
  /** Size of a head; need not be width / heads. */
  readonly headSize: number;
  /** Width of the gated MLP. */
  readonly innerWidth: number;
  readonly normEpsilon: number;
  /** True if the embedding is also the output matrix. */
  readonly tied: boolean;
  readonly attentionBias: 'none' | 'query-key-value' | 'all';
  readonly innerBias: boolean;
  /** RMS norm of each head's query and key (Qwen3, Gemma 3). */
  readonly headNorm: boolean;
  readonly activation: 'silu' | 'gelu-tanh';
  /** Attention scores are query · key · scale. */
  readonly scale: number;
  readonly rotary: RotaryConfig;
  /** Rotary embedding of the layers with a window, if different (Gemma 3). */
  readonly windowRotary: RotaryConfig | null;
  /** Attention window of each layer in tokens, the current one included; null for unlimited. */
  readonly windows: readonly (number | null)[];
  /** Gemma: additional norms after each part, gains stored minus 1, embeddings times √width. */
  readonly gemma: boolean;
  /** Soft cap: scores and logits become cap · tanh(x / cap) (Gemma 2). */
  readonly scoreCap: number | null;
  readonly logitCap: number | null;
}

/**
 * Dense layers on the numbers of an observation, in place of a transformer on text: one stack for outputs
 * about actions, which are its vocabulary, and critics.
 */
export interface NetworkConfig extends CommonConfig {
  readonly family: 'network';
  /** Numbers of an observation. */
  readonly observed: number;
  /** Widths of the hidden layers; `width` is the last one. */
  readonly hidden: readonly number[];
  readonly activation: 'tanh' | 'relu';
  readonly outputs: NetworkOutputs;
}

/** Shape and family of a model. */
export type ModelConfig = Gpt2Config | LlamaConfig | NetworkConfig;

/** Configuration of a new model. */
export const configOf = (
  architecture: Architecture,
  vocabulary: number,
  head: Head = 'next-token',
): Gpt2Config => ({ ...architecture, vocabulary, head, pad: specials.pad, layerNormEpsilon: 1e-5 });

/** Steps that a row of a network may have; it has no memory, and so no limit of its own. */
const NETWORK_CONTEXT = 2 ** 20;

/** Configuration of a new network on `observed` numbers, with so many outputs about actions. */
export const networkConfigOf = (
  { hidden, activation }: Pick<NetworkConfig, 'hidden' | 'activation'>,
  observed: number,
  actions: number,
  outputs: NetworkOutputs = 'choices',
): NetworkConfig => ({
  family: 'network',
  width: hidden[hidden.length - 1],
  layers: hidden.length,
  heads: 1,
  context: NETWORK_CONTEXT,
  vocabulary: actions,
  head: 'next-token',
  pad: null,
  observed,
  hidden,
  activation,
  outputs,
});

/**
 * Standard deviation of new weights: GPT-2's 0.02 at its own width of 768, and ∝ 1/√width elsewhere, so that
 * a narrow model's products start at the same scale as the wide one's. A constant 0.02 leaves a model of
 * width 64 close to linear for its first hundreds of steps.
 */
export const initialDeviation = (width: number): number => 0.02 * Math.sqrt(768 / width);
