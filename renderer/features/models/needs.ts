import type { ModelDescription } from '../../../preload/contract/models.ts';

export interface Need {
  readonly what: string;
  readonly bytes: number;
  readonly from: string;
}

/** Weights are computed in float32, whatever their type on disk. */
const FLOAT = 4;
const LORA_RANK = 8;
/** int4 with a float32 scale for every 32 values. */
const INT4 = 0.5 + FLOAT / 32;
/** Query, key, value and output of each block. */
const LORA_MATRICES = 4;

/**
 * Memory that a model needs, estimated from its sizes alone. Training with AdamW holds four numbers per
 * parameter: the weight, its gradient and two moments. Activations are extra and depend on the batch: the
 * launch form's estimate counts them.
 */
export function needsOf({
  parameters,
  layers,
  width,
  context,
  vocabulary,
  head,
}: Pick<
  ModelDescription,
  'parameters' | 'layers' | 'width' | 'context' | 'vocabulary' | 'head'
>): readonly Need[] {
  const cache = 2 * layers * width * context * FLOAT;
  // a matrix [width, width] gets two of [width, rank]
  const lora = layers * LORA_MATRICES * 2 * width * LORA_RANK;
  // the token embedding stays in float32
  const table = Math.min(parameters, vocabulary * width);
  return [
    head === 'reward'
      ? { what: 'To score', bytes: parameters * FLOAT, from: 'weights in float32' }
      : {
          what: 'To sample',
          bytes: parameters * FLOAT + cache,
          from: 'weights in float32, and a KV cache for one answer of full context length',
        },
    {
      what: 'To train all weights',
      bytes: parameters * 4 * FLOAT,
      from: 'weights, gradients and both moments of AdamW; activations are extra',
    },
    {
      what: 'To train a LoRA',
      bytes: (parameters + 4 * lora) * FLOAT,
      from: `frozen weights, and an adapter of rank ${LORA_RANK} on the attention matrices; activations are extra`,
    },
    {
      what: 'QLoRA (4-bit base)',
      bytes: table * FLOAT + (parameters - table) * INT4 + 4 * lora * FLOAT,
      from:
        'the same with the frozen matrices in 4 bits (QLoRA), on the CPU; one at a time is float32 while ' +
        'it is read',
    },
  ];
}
