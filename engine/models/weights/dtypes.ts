/** Element types of weight files, and their conversion to float32. */

/** Types that convert to float32 and back. */
export const floatTypes = ['F32', 'F16', 'BF16'] as const;
export type FloatType = (typeof floatTypes)[number];
export const isFloatType = (dtype: string): dtype is FloatType =>
  (floatTypes as readonly string[]).includes(dtype);

/** Bytes per element of every type of the format with whole bytes. */
export const widths: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  F64: 8,
  I64: 8,
  U64: 8,
  C64: 8,
};

const halfToNumber = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};

let halves: Float32Array | undefined;
/** Every half-precision number, by its bits. */
const halfTable = (): Float32Array =>
  (halves ??= Float32Array.from({ length: 65_536 }, (_, bits) => halfToNumber(bits)));

/**
 * Little-endian values of a file as float32, written into `out`, which has one place for each. `bytes` must
 * start at an even place.
 */
export const decodeInto = (out: Float32Array, bytes: Uint8Array, dtype: FloatType): void => {
  if (dtype === 'F32') {
    new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(bytes);
    return;
  }
  const stored = new Uint16Array(bytes.buffer, bytes.byteOffset, out.length);
  if (dtype === 'F16') {
    const table = halfTable();
    for (let i = 0; i < stored.length; i++) out[i] = table[stored[i]];
    return;
  }
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < stored.length; i++) bits[i] = stored[i] << 16;
};

/**
 * float32 values in a file's type; halves are rounded to the nearest, ties to even. Values too large for a
 * half become infinite.
 */
export const encodeFloats = (values: Float32Array, dtype: FloatType): Uint8Array => {
  if (dtype === 'F32') return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  const convert = dtype === 'BF16' ? toBrain : toHalf;
  for (let i = 0; i < out.length; i++) out[i] = convert(bits[i]);
  return new Uint8Array(out.buffer);
};

const isNan = (bits: number): boolean => (bits & 0x7fffffff) > 0x7f800000;

const toBrain = (bits: number): number =>
  isNan(bits) ? 0x7fc0 : ((bits >>> 16) + Number((bits & 0xffff) + ((bits >>> 16) & 1) > 0x8000)) & 0xffff;

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);
const toHalf = (bits: number): number => {
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  if (isNan(bits)) return sign | 0x7e00;
  if (size >= 0x477ff000) return sign | 0x7c00;
  if (size < 0x38800000) {
    // below the least normal half: a whole number of 2^−24, and adding ½ makes the sum round as floats do
    scratchBits[0] = size;
    scratch[0] += 0.5;
    return sign | (scratchBits[0] - 0x3f000000);
  }
  return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
};
