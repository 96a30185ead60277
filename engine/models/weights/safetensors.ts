import { WhetstoneError } from '../../common/errors.ts';
import { decodeInto, encodeFloats, isFloatType, widths, type FloatType } from './dtypes.ts';

/** A float tensor on the host. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
  /** Element type in the file; F32 by default. */
  readonly dtype?: FloatType;
}

/** A tensor's range in a file: `begin` and `end` count bytes from the first byte of data. */
export interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

export interface Header {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Position of the first byte of data. */ readonly start: number;
}

const headerLimit = 100_000_000;
/** Bytes of tensors converted at once. */
const pieceBytes = 2 ** 22;

/**
 * The safetensors format in pieces, so that a file and its tensors are not both in memory: 8 bytes of header
 * length (little-endian), a JSON header padded with spaces so that data starts at a multiple of 8, then raw
 * little-endian values. Tensors keep the given order.
 */
export function* safetensorsPieces(
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Generator<Uint8Array> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt', ...metadata } };
  let offset = 0;
  for (const [name, { shape, data, dtype = 'F32' }] of Object.entries(tensors)) {
    if (shape.reduce((a, b) => a * b, 1) !== data.length || name === '__metadata__')
      throw new WhetstoneError(
        'internal',
        `The tensor '${name}' of shape [${shape.join(', ')}] does not hold ${data.length} values.`,
        { where: name },
      );
    const bytes = data.length * widths[dtype];
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const front = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20);
  new DataView(front.buffer).setBigUint64(0, BigInt(front.length - 8), true);
  front.set(json, 8);
  yield front;
  for (const { data, dtype = 'F32' } of Object.values(tensors))
    for (let from = 0; from < data.length; from += pieceBytes / 4)
      yield encodeFloats(data.subarray(from, from + pieceBytes / 4), dtype);
}

/** A whole file in memory. */
export const encodeSafetensors = (
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array => {
  const pieces = [...safetensorsPieces(tensors, metadata)];
  const out = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
};

/**
 * Reads F32, F16 and BF16 tensors as float32. Every defect of a file ends in an error that names `file` and
 * the tensor.
 */
export const decodeSafetensors = (bytes: Uint8Array, file: string): Map<string, StoredTensor> => {
  const length = headerLength(bytes.subarray(0, 8), bytes.length, file);
  const { entries, start } = parseHeader(bytes.subarray(8, 8 + length), bytes.length, file);
  // a Buffer's own slice() would share memory and alignment
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Map(
    [...entries].map(([name, entry]) => {
      const dtype = floatTypeOf(entry, name, file);
      const data = new Float32Array((entry.end - entry.begin) / widths[dtype]);
      decodeInto(data, plain.slice(start + entry.begin, start + entry.end), dtype);
      return [name, { shape: entry.shape, data, ...(dtype !== 'F32' && { dtype }) }];
    }),
  );
};

export const broken = (file: string, message: string, tensor?: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `The weight file is damaged: ${message}.`, {
    where: tensor === undefined ? file : `${file}, tensor ${tensor}`,
    hint: 'Copy or download the file again, or choose another checkpoint.',
  });

/** The type of a tensor to be read; throws `unsupported` for types that do not convert to float32. */
export const floatTypeOf = ({ dtype }: Entry, name: string, file: string): FloatType => {
  if (isFloatType(dtype)) return dtype;
  throw new WhetstoneError('unsupported', `The tensor has type ${dtype}; F32, F16 and BF16 can be read.`, {
    where: `${file}, tensor ${name}`,
    hint: 'Save the model in one of these types.',
  });
};

/** Length of the JSON header, from the first 8 bytes of a file of `size` bytes. */
export const headerLength = (first: Uint8Array, size: number, file: string): number => {
  if (first.length < 8) throw broken(file, `it has ${size} bytes, fewer than the 8 of its header length`);
  const length = new DataView(first.buffer, first.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(headerLimit) || Number(length) > size - 8)
    throw broken(file, `its header claims ${length} bytes, and ${size - 8} follow`);
  return Number(length);
};

/**
 * The tensors of a file of `size` bytes, from its JSON header; checks that types, shapes and ranges are
 * consistent and cover the file.
 */
export const parseHeader = (json: Uint8Array, size: number, file: string): Header => {
  const start = 8 + json.length;
  const entries = Object.entries(headerObject(json, file))
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]): [string, Entry] => [name, checkEntry(value, name, file)]);
  checkCover(entries, size - start, file);
  return { entries: new Map(entries), start };
};

const headerObject = (bytes: Uint8Array, file: string): object => {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw broken(file, `its header is not JSON (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw broken(file, 'its header is not an object');
  return header;
};

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);

const checkEntry = (value: unknown, name: string, file: string): Entry => {
  const {
    dtype,
    shape,
    data_offsets: offsets,
  } = (typeof value === 'object' && value !== null ? value : {}) as {
    dtype?: unknown;
    shape?: unknown;
    data_offsets?: unknown;
  };
  if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets) || offsets.length !== 2)
    throw broken(file, 'dtype, shape or offsets are missing', name);
  if (!Object.hasOwn(widths, dtype))
    throw new WhetstoneError('unsupported', `The tensor has the type ${dtype}, which is not known here.`, {
      where: `${file}, tensor ${name}`,
      hint: 'Save the model as F32, F16 or BF16.',
    });
  const [begin, end] = offsets;
  const expected = shape.reduce((a, b) => a * b, widths[dtype]);
  if (end - begin !== expected)
    throw broken(
      file,
      `a ${dtype} tensor of shape [${shape.join(', ')}] needs ${expected} bytes and its offsets give ${end - begin}`,
      name,
    );
  return { dtype, shape, begin, end };
};

/** The tensors must cover the data exactly: no hole, no overlap, nothing past the end. */
const checkCover = (entries: readonly [string, Entry][], size: number, file: string): void => {
  let at = 0;
  for (const [name, { begin, end }] of [...entries].sort(
    ([, a], [, b]) => a.begin - b.begin || a.end - b.end,
  )) {
    if (begin < at)
      throw broken(
        file,
        `it overlaps the tensor before it (starts at byte ${begin}, which ends at ${at})`,
        name,
      );
    if (begin > at) throw broken(file, `bytes ${at} to ${begin} belong to no tensor`, name);
    if (end > size) throw broken(file, `it ends at byte ${end} of ${size}: the file is cut off`, name);
    at = end;
  }
  if (at !== size) throw broken(file, `${size - at} bytes at its end belong to no tensor`);
};
