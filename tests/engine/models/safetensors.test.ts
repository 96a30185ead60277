import { describe, expect, it } from 'vitest';
import { decodeSafetensors, encodeSafetensors } from '../../../engine/models/weights/safetensors.ts';
import { caught } from '../../support/errors.ts';

/** A file with the given header. */
const file = (header: unknown, data: number): Uint8Array => {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const out = new Uint8Array(8 + json.length + data);
  new DataView(out.buffer).setBigUint64(0, BigInt(json.length), true);
  out.set(json, 8);
  return out;
};
const entry = (begin: number, end: number, shape = [(end - begin) / 4], dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});
const error = (bytes: Uint8Array) => caught(() => decodeSafetensors(bytes, 'm.safetensors'));

describe('safetensors', () => {
  it('can be read back, also from a Buffer at any offset', () => {
    const tensors = {
      b: { shape: [2, 2], data: Float32Array.of(1, -2, 3e-40, Infinity) },
      a: { shape: [], data: Float32Array.of(7) },
      empty: { shape: [0, 3], data: new Float32Array(0) },
    };
    const bytes = encodeSafetensors(tensors);
    const shifted = Buffer.alloc(bytes.length + 3);
    shifted.set(bytes, 3);
    for (const form of [bytes, Buffer.from(bytes), shifted.subarray(3)])
      expect(Object.fromEntries(decodeSafetensors(form, 'x'))).toEqual(tensors);
  });

  it('align their data to a multiple of 8, and decoded arrays do not share the file’s memory', () => {
    const bytes = encodeSafetensors({ x: { shape: [1], data: Float32Array.of(1) } });
    expect(Number(new DataView(bytes.buffer).getBigUint64(0, true)) % 8).toBe(0);
    const read = decodeSafetensors(Buffer.from(bytes), 'x');
    bytes.fill(0);
    expect(read.get('x')?.data[0]).toBe(1);
  });

  it('decode half precision exactly', () => {
    const bytes = file({ h: entry(0, 10, [5], 'F16'), b: entry(10, 14, [2], 'BF16') }, 14);
    const view = new DataView(bytes.buffer, bytes.length - 14);
    [0x3c00, 0xc000, 0x0001, 0x7c00, 0x3555].forEach((bits, i) => {
      view.setUint16(2 * i, bits, true);
    });
    [0x3f80, 0xc2f7].forEach((bits, i) => {
      view.setUint16(10 + 2 * i, bits, true);
    });
    const read = decodeSafetensors(bytes, 'x');
    expect([...(read.get('h')?.data ?? [])]).toEqual([1, -2, 2 ** -24, Infinity, 0.333251953125]);
    expect([...(read.get('b')?.data ?? [])]).toEqual([1, -123.5]);
  });

  it.each<[string, Uint8Array, RegExp, string]>([
    ['too short for a header length', new Uint8Array(5), /5 bytes, fewer than the 8/, 'm.safetensors'],
    [
      'a header length past the end',
      (() => {
        const b = file({}, 0);
        b[0] = 200;
        return b;
      })(),
      /header claims 200 bytes/,
      'm.safetensors',
    ],
    ['an absurd header length', new Uint8Array(16).fill(255), /header claims/, 'm.safetensors'],
    ['a header that is not JSON', file('{"a":', 0), /not JSON/, 'm.safetensors'],
    ['a header that is not an object', file('[1]', 0), /not an object/, 'm.safetensors'],
    ['missing fields', file({ w: { dtype: 'F32' } }, 0), /are missing/, 'm.safetensors, tensor w'],
    [
      'negative sizes',
      file({ w: { dtype: 'F32', shape: [-1], data_offsets: [0, 4] } }, 4),
      /are missing/,
      'm.safetensors, tensor w',
    ],
    [
      'a shape that does not fit its offsets',
      file({ w: entry(0, 8, [3]) }, 8),
      /needs 12 bytes and its offsets give 8/,
      'm.safetensors, tensor w',
    ],
    [
      'overlapping tensors',
      file({ v: entry(0, 8), w: entry(4, 12) }, 12),
      /overlaps/,
      'm.safetensors, tensor w',
    ],
    [
      'a gap between tensors',
      file({ v: entry(0, 4), w: entry(8, 12) }, 12),
      /bytes 4 to 8 belong to no tensor/,
      'm.safetensors, tensor w',
    ],
    ['a truncated file', file({ v: entry(0, 4), w: entry(4, 12) }, 10), /cut off/, 'm.safetensors, tensor w'],
    ['bytes after the last tensor', file({ v: entry(0, 4) }, 6), /2 bytes at its end/, 'm.safetensors'],
  ])('reject %s', (_, bytes, message, where) => {
    expect(error(bytes)).toMatchObject({ kind: 'invalid-input', where });
    expect(error(bytes).message).toMatch(message);
  });

  it('reject types that cannot be converted to float32', () => {
    expect(error(file({ w: entry(0, 8, [1], 'I64') }, 8))).toMatchObject({
      kind: 'unsupported',
      where: 'm.safetensors, tensor w',
    });
  });
});
