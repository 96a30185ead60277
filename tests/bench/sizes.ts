/** The models of the comparisons, and the matrix products of their training steps. */
import type { BaseFormat } from '../../engine/schema/adapter.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';

export interface Size {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Longest sequence, and the length of every sequence of a training batch. */
  readonly context: number;
  /** Sequences of a training batch. */
  readonly batch: number;
  readonly vocabulary: number;
  /** If set, the model is frozen and an adapter of every dense layer is trained (LoRA). */
  readonly adapter?: { readonly rank: number; readonly alpha: number; readonly base?: BaseFormat };
}

/**
 * `tiny` is for the tests of the benchmarks; `small` is the demo's model; a, b and c are the reference models
 * of every comparison; `lora` has GPT-2 small's shape, and `qlora` the same in 4 bits.
 */
export const sizes = {
  tiny: { width: 16, layers: 2, heads: 2, context: 32, batch: 4, vocabulary: 32 },
  small: { width: 64, layers: 3, heads: 4, context: 56, batch: 32, vocabulary: 64 },
  a: { width: 256, layers: 4, heads: 4, context: 128, batch: 16, vocabulary: 512 },
  b: { width: 512, layers: 8, heads: 8, context: 256, batch: 4, vocabulary: 8192 },
  c: { width: 256, layers: 4, heads: 4, context: 512, batch: 4, vocabulary: 151_936 },
  lora: {
    width: 768,
    layers: 12,
    heads: 12,
    context: 128,
    batch: 4,
    vocabulary: 50_257,
    adapter: { rank: 8, alpha: 16 },
  },
  qlora: {
    width: 768,
    layers: 12,
    heads: 12,
    context: 128,
    batch: 4,
    vocabulary: 50_257,
    adapter: { rank: 8, alpha: 16, base: 'int4' },
  },
} satisfies Record<string, Size>;

export type Config = keyof typeof sizes;
export const isConfig = (name: string): name is Config => name in sizes;

/** Both sides' optimizer settings. */
export const optimizer = {
  kind: 'adamw',
  learningRate: 1e-4,
  schedule: 'constant',
  warmup: 0,
  beta1: 0.9,
  beta2: 0.95,
  momentum: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
  dropout: 0,
} as const satisfies RunSpecInput['optimizer'];

/** A product [m, k] · [k, n], a batch of `batch`; `count` of these are its part of one step. */
export interface Product {
  readonly m: number;
  readonly k: number;
  readonly n: number;
  readonly batch: number;
  /** True if the left or the right operand is transposed in memory. */
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly count: number;
}

export const flopOf = ({ m, k, n, batch, count }: Product): number => 2 * m * k * n * batch * count;

/**
 * The forward product of a weight; then the gradients with respect to its input and, if it is trained, to
 * the weight.
 */
const denseProducts = (
  rows: number,
  from: number,
  to: number,
  { count, frozen, tied = false }: { count: number; frozen: boolean; tied?: boolean },
): Product[] => {
  const flow = [
    { m: rows, k: from, n: to, batch: 1, transposeA: false, transposeB: tied, count },
    { m: rows, k: to, n: from, batch: 1, transposeA: false, transposeB: !tied, count },
  ];
  const [m, n] = tied ? [to, from] : [from, to];
  return frozen ? flow : [...flow, { m, k: rows, n, batch: 1, transposeA: true, transposeB: false, count }];
};

/**
 * Columns of the vocabulary in one measured product: a full large one would need gigabytes for the same
 * result.
 */
const VOCABULARY_COLUMNS = 16_384;

/**
 * The products of one training step, each shape once. Attention counts as whole squares: a side that skips
 * the masked half is faster than its rate. The products of an adapter are left out: they are as thin as its
 * rank.
 */
export const productsOf = ({
  width,
  layers,
  heads,
  context,
  batch,
  vocabulary,
  adapter,
}: Size): Product[] => {
  const rows = batch * context;
  const columns = Math.min(vocabulary, VOCABULARY_COLUMNS);
  const size = width / heads;
  const attention = { batch: batch * heads, count: layers };
  const dense = { count: layers, frozen: adapter !== undefined };
  return [
    ...denseProducts(rows, width, 3 * width, dense),
    ...denseProducts(rows, width, width, dense),
    ...denseProducts(rows, width, 4 * width, dense),
    ...denseProducts(rows, 4 * width, width, dense),
    ...denseProducts(batch * (context - 1), width, columns, {
      ...dense,
      count: vocabulary / columns,
      tied: true,
    }),
    // scores, outputs, and the gradients of the values, the weights, the queries and the keys
    { ...attention, m: context, k: size, n: context, transposeA: false, transposeB: true },
    { ...attention, m: context, k: context, n: size, transposeA: false, transposeB: false },
    { ...attention, m: context, k: context, n: size, transposeA: true, transposeB: false },
    { ...attention, m: context, k: size, n: context, transposeA: false, transposeB: true },
    { ...attention, m: context, k: context, n: size, transposeA: false, transposeB: false },
    { ...attention, m: context, k: context, n: size, transposeA: true, transposeB: false },
  ];
};

/**
 * Prompt tokens, `begin` included, and answer tokens in the comparisons of generation: an eighth and a half
 * of the context.
 */
export const promptTokens = ({ context }: Size): number => context / 8;
export const answerTokens = ({ context }: Size): number => context / 2;

/** Prompts of one GRPO step, and answers to each. */
export const grpoSettings = ({ width }: Size): { readonly prompts: number; readonly attempts: number } =>
  width < 64 ? { prompts: 4, attempts: 4 } : { prompts: 32, attempts: 8 };

/** The products of one more token for each of `rows` answers. */
export const decodingProductsOf = ({ width, layers, vocabulary }: Size, rows: number): Product[] => {
  const product = { m: rows, batch: 1, transposeA: false, transposeB: false, count: layers };
  return [
    { ...product, k: width, n: 3 * width },
    { ...product, k: width, n: width },
    { ...product, k: width, n: 4 * width },
    { ...product, k: 4 * width, n: width },
    {
      ...product,
      k: width,
      n: Math.min(vocabulary, VOCABULARY_COLUMNS),
      count: Math.max(1, vocabulary / VOCABULARY_COLUMNS),
      transposeB: true,
    },
  ];
};
