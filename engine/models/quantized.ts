/**
 * A frozen model with quantized dense matrices (QLoRA, arXiv:2305.14314): each block of values, in the order
 * of the weight file, is written in units of its own scale, of which the block's largest value is a whole
 * multiple. `tensor/ops/quantized.ts` computes with them.
 */
import { createHash } from 'node:crypto';
import { WhetstoneError } from '../common/errors.ts';
import type { BaseFormat } from '../schema/adapter.ts';
import { bitsOf, normalFloats, type QuantizedFormat } from '../tensor/index.ts';
import { denseLayersOf } from './adapters/lora.ts';
import type { ModelConfig } from './config.ts';
import { transformerOf } from './families/index.ts';
import { layoutOf, type ParameterSlot, type ParameterSpec } from './parameters.ts';

/**
 * Values that share a scale. Blocks of int4 are half as long as those of nf4: its even steps need it to come
 * near the accuracy of nf4's uneven ones.
 */
export const blockOf: Readonly<Record<QuantizedFormat, number>> = { int8: 64, int4: 32, nf4: 64 };
/** The largest value of a block, in units of its scale. */
const reach: Readonly<Record<QuantizedFormat, number>> = { int8: 127, int4: 7, nf4: 1 };

/** Rounding thresholds between neighbouring levels. */
const borders = normalFloats.slice(1).map((level, at) => (level + normalFloats[at]) / 2);
const nearestLevel = (value: number): number => {
  let low = 0;
  for (let step = 8; step > 0; step >>= 1) if (value > borders[low + step - 1]) low += step;
  return low;
};

/** Writes one block's values, each times 1 / scale, as the format's bytes. */
const writers: {
  readonly [F in QuantizedFormat]: (values: Float32Array, inverse: number, into: Uint8Array) => void;
} = {
  int8: (values, inverse, into) => {
    for (let i = 0; i < values.length; i++) into[i] = Math.round(values[i] * inverse) + 128;
  },
  int4: (values, inverse, into) => {
    const half = into.length;
    for (let i = 0; i < half; i++)
      into[i] = (Math.round(values[i] * inverse) + 8) | ((Math.round(values[half + i] * inverse) + 8) << 4);
  },
  nf4: (values, inverse, into) => {
    for (let i = 0; i < into.length; i++)
      into[i] = (nearestLevel(values[2 * i] * inverse) << 4) | nearestLevel(values[2 * i + 1] * inverse);
  },
};

/**
 * Quantizes whole blocks: values → codes and one scale per block. |value − code · scale| ≤ scale / 2 for
 * int8 and int4, ≤ 0.152 scale for nf4 (half its widest step), plus float32 rounding. A block of zeros has
 * scale 0.
 */
export const quantizeBlocks = (
  format: QuantizedFormat,
  values: Float32Array,
  codes: Uint8Array,
  scales: Float32Array,
): void => {
  const block = blockOf[format];
  const bytes = (block * bitsOf[format]) / 8;
  const write = writers[format];
  for (let b = 0; b < scales.length; b++) {
    const own = values.subarray(b * block, (b + 1) * block);
    let largest = 0;
    for (let i = 0; i < own.length; i++) largest = Math.max(largest, Math.abs(own[i]));
    scales[b] = largest / reach[format];
    write(own, scales[b] === 0 ? 0 : 1 / scales[b], codes.subarray(b * bytes, (b + 1) * bytes));
  }
};

/**
 * Matrices of one model in one format: codes and scales, each concatenated in one array, of which views are
 * fed.
 */
export class QuantizedSet {
  readonly format: QuantizedFormat;
  /** Ranges count values of the concatenated matrices. */
  readonly slots: readonly ParameterSlot[];
  readonly codes: Uint8Array;
  readonly scales: Float32Array;
  readonly #byName: ReadonlyMap<string, ParameterSlot>;
  #hash: string | undefined;

  /** Allocates these matrices; `set` fills them. */
  constructor(format: QuantizedFormat, specs: readonly Pick<ParameterSpec, 'name' | 'shape'>[]) {
    this.format = format;
    this.slots = layoutOf(specs);
    this.codes = new Uint8Array((this.size * bitsOf[format]) / 8);
    this.scales = new Float32Array(this.size / blockOf[format]);
    this.#byName = new Map(this.slots.map((slot) => [slot.name, slot]));
  }

  /** Number of values. */
  get size(): number {
    return this.slots.reduce((total, { size }) => total + size, 0);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Views of one matrix's codes and scales. */
  view(name: string): { readonly codes: Uint8Array; readonly scales: Float32Array } {
    const slot = this.#byName.get(name);
    if (!slot)
      throw new WhetstoneError('internal', `There is no quantized matrix '${name}'.`, {
        where: 'parameters',
      });
    const [from, to] = [slot.offset, slot.offset + slot.size];
    const bits = bitsOf[this.format];
    const block = blockOf[this.format];
    return {
      codes: this.codes.subarray((from * bits) / 8, (to * bits) / 8),
      scales: this.scales.subarray(from / block, to / block),
    };
  }

  /** Quantizes a matrix into its range. Throws `numeric` if a value is not finite. */
  set(name: string, values: Float32Array): void {
    const { codes, scales } = this.view(name);
    quantizeBlocks(this.format, values, codes, scales);
    if (!scales.every(Number.isFinite) || values.some(Number.isNaN))
      throw new WhetstoneError('numeric', 'A matrix with NaN or infinite values cannot be quantized.', {
        where: name,
        hint: 'Choose another checkpoint of the model.',
      });
  }

  /** SHA-256 of format, block, codes and scales; equal hashes compute the same. */
  get hash(): string {
    return (this.#hash ??= createHash('sha256')
      .update(`${this.format} ${blockOf[this.format]}\n`)
      .update(this.codes)
      .update(new Uint8Array(this.scales.buffer))
      .digest('hex'));
  }
}

/**
 * The parameters of a configuration that stay float32, and those that become quantized: matrices of dense
 * layers that consist of whole blocks.
 */
export const partsFor = (
  config: ModelConfig,
  format: BaseFormat,
): { readonly kept: ParameterSpec[]; readonly matrices: ParameterSpec[] } => {
  const specs = transformerOf(config).parameters();
  if (format === 'float32') return { kept: specs, matrices: [] };
  const dense = new Set(denseLayersOf(config).map(({ name }) => `${name}.weight`));
  const isQuantized = ({ name, shape }: ParameterSpec): boolean =>
    dense.has(name) && (shape[0] * shape[1]) % blockOf[format] === 0;
  return { kept: specs.filter((spec) => !isQuantized(spec)), matrices: specs.filter(isQuantized) };
};

/**
 * Allocates the quantized matrices of a configuration; undefined for float32. Throws `unsupported` if no
 * matrix consists of whole blocks.
 */
export const roomForQuantized = (config: ModelConfig, format: BaseFormat): QuantizedSet | undefined => {
  if (format === 'float32') return undefined;
  const { matrices } = partsFor(config, format);
  if (matrices.length === 0)
    throw new WhetstoneError(
      'unsupported',
      `No matrix of this model is made of whole blocks of ${blockOf[format]} values.`,
      { where: 'adapter.base', hint: 'Leave the base in float32.' },
    );
  return new QuantizedSet(format, matrices);
};
