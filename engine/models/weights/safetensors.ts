import { WhetstoneError } from '../../schema/errors.ts';

/** A float tensor as files hold it. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Bytes of an element, by the dtypes whose values become float32. */
const widths: Readonly<Record<string, number>> = { F32: 4, F16: 2, BF16: 2 };
const headerLimit = 100_000_000;

interface Entry { readonly dtype: string; readonly shape: readonly number[]; readonly begin: number; readonly end: number }

/**
 * The safetensors format: 8 bytes of header length (little-endian), a JSON header padded with spaces so that data starts at a multiple
 * of 8, then raw little-endian float32. Tensors lie in the order given.
 */
export const encodeSafetensors = (tensors: Readonly<Record<string, StoredTensor>>, metadata: Readonly<Record<string, string>> = {}): Uint8Array => {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt', ...metadata } };
  let offset = 0;
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    if (shape.reduce((a, b) => a * b, 1) !== data.length || name === '__metadata__')
      throw new WhetstoneError('internal', `The tensor '${name}' of shape [${shape.join(', ')}] does not hold ${data.length} values.`, { where: name });
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerLength = Math.ceil(json.length / 8) * 8;
  const out = new Uint8Array(8 + headerLength + offset);
  new DataView(out.buffer).setBigUint64(0, BigInt(headerLength), true);
  out.fill(0x20, 8 + json.length, 8 + headerLength);
  out.set(json, 8);
  let at = 8 + headerLength;
  for (const { data } of Object.values(tensors)) {
    out.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return out;
};

/** Reads F32, F16 and BF16 tensors as float32. Every way in which a file can be broken ends in an error that names `file` and the tensor. */
export const decodeSafetensors = (bytes: Uint8Array, file: string): Map<string, StoredTensor> => {
  const { entries, start } = readHeader(bytes, file);
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength); // a Buffer's own slice() would share memory and alignment
  const out = new Map<string, StoredTensor>();
  for (const [name, { dtype, shape, begin, end }] of entries) out.set(name, { shape, data: toFloat32(new Uint8Array(plain.subarray(start + begin, start + end)), dtype) });
  return out;
};

const broken = (file: string, message: string, tensor?: string): WhetstoneError => new WhetstoneError('invalid-input', `The weight file is damaged: ${message}.`, {
  where: tensor === undefined ? file : `${file}, tensor ${tensor}`, hint: 'Copy or download the file again, or choose another checkpoint.',
});

const readHeader = (bytes: Uint8Array, file: string): { entries: [string, Entry][]; start: number } => {
  if (bytes.length < 8) throw broken(file, `it has ${bytes.length} bytes, fewer than the 8 of its header length`);
  const length = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(headerLimit) || Number(length) > bytes.length - 8) throw broken(file, `its header claims ${length} bytes, and ${bytes.length - 8} follow`);
  const start = 8 + Number(length);
  const header = parseHeader(bytes.subarray(8, start), file);
  const entries = Object.entries(header).filter(([name]) => name !== '__metadata__').map(([name, value]): [string, Entry] => [name, checkEntry(value, name, file)]);
  checkCover(entries, bytes.length - start, file);
  return { entries, start };
};

const parseHeader = (bytes: Uint8Array, file: string): object => {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw broken(file, `its header is not JSON (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) throw broken(file, 'its header is not an object');
  return header;
};

const isCounts = (value: unknown): value is number[] => Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);

const checkEntry = (value: unknown, name: string, file: string): Entry => {
  const { dtype, shape, data_offsets: offsets } = (typeof value === 'object' && value !== null ? value : {}) as { dtype?: unknown; shape?: unknown; data_offsets?: unknown };
  if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) throw broken(file, 'dtype, shape or offsets are missing', name);
  const width = widths[dtype];
  if (width === undefined)
    throw new WhetstoneError('unsupported', `The tensor has type ${dtype}; F32, F16 and BF16 can be read.`, { where: `${file}, tensor ${name}`, hint: 'Save the model in one of these types.' });
  const [begin, end] = offsets;
  const wanted = shape.reduce((a, b) => a * b, width);
  if (end - begin !== wanted) throw broken(file, `a ${dtype} tensor of shape [${shape.join(', ')}] needs ${wanted} bytes and its offsets give ${end - begin}`, name);
  return { dtype, shape, begin, end };
};

/** The tensors must cover the data exactly: no hole, no overlap, nothing past the end. */
const checkCover = (entries: readonly [string, Entry][], size: number, file: string): void => {
  let at = 0;
  for (const [name, { begin, end }] of [...entries].sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end)) {
    if (begin < at) throw broken(file, `it overlaps the tensor before it (starts at byte ${begin}, which ends at ${at})`, name);
    if (begin > at) throw broken(file, `bytes ${at} to ${begin} belong to no tensor`, name);
    if (end > size) throw broken(file, `it ends at byte ${end} of ${size}: the file is cut off`, name);
    at = end;
  }
  if (at !== size) throw broken(file, `${size - at} bytes at its end belong to no tensor`);
};

const toFloat32 = (bytes: Uint8Array<ArrayBuffer>, dtype: string): Float32Array => {
  if (dtype === 'F32') return new Float32Array(bytes.buffer);
  const halves = new Uint16Array(bytes.buffer);
  if (dtype === 'F16') return Float32Array.from(halves, halfToNumber);
  const out = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) out[i] = halves[i] << 16;
  return new Float32Array(out.buffer);
};

const halfToNumber = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};
