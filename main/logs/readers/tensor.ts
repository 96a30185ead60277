import { ProtoReader } from '../formats/protobuf.ts';

/** tensorflow/core/framework/types.proto */
const types = {
  float: 1,
  double: 2,
  int32: 3,
  uint8: 4,
  int16: 5,
  int8: 6,
  string: 7,
  int64: 9,
  bool: 10,
  bfloat16: 14,
  uint16: 17,
  half: 19,
  uint32: 22,
  uint64: 23,
} as const;

/** Float16 of its bits (IEEE 754 binary16). */
export function halfOf(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Bfloat16 of its bits: the upper half of a float32. */
export function bfloat16Of(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, (bits << 16) >>> 0);
  return view.getFloat32(0);
}

type Content = { readonly bytes: number; readonly read: (view: DataView) => number };
/** Layout of one element in `tensor_content`, little-endian. */
const contents: { readonly [type: number]: Content | undefined } = {
  [types.float]: { bytes: 4, read: (view) => view.getFloat32(0, true) },
  [types.double]: { bytes: 8, read: (view) => view.getFloat64(0, true) },
  [types.int32]: { bytes: 4, read: (view) => view.getInt32(0, true) },
  [types.uint8]: { bytes: 1, read: (view) => view.getUint8(0) },
  [types.int16]: { bytes: 2, read: (view) => view.getInt16(0, true) },
  [types.int8]: { bytes: 1, read: (view) => view.getInt8(0) },
  [types.int64]: { bytes: 8, read: (view) => Number(view.getBigInt64(0, true)) },
  [types.bool]: { bytes: 1, read: (view) => Number(view.getUint8(0) !== 0) },
  [types.bfloat16]: { bytes: 2, read: (view) => bfloat16Of(view.getUint16(0, true)) },
  [types.uint16]: { bytes: 2, read: (view) => view.getUint16(0, true) },
  [types.half]: { bytes: 2, read: (view) => halfOf(view.getUint16(0, true)) },
  [types.uint32]: { bytes: 4, read: (view) => view.getUint32(0, true) },
  [types.uint64]: { bytes: 8, read: (view) => Number(view.getBigUint64(0, true)) },
};

/** The repeated fields of values (tensorflow/core/framework/tensor.proto) that hold one number an element. */
const kinds: { readonly [field: number]: 'float' | 'double' | 'integer' | undefined } = {
  5: 'float',
  6: 'double',
  7: 'integer',
  10: 'integer',
  11: 'integer',
  13: 'integer',
  16: 'integer',
  17: 'integer',
};

interface Tensor {
  type: number;
  content: Uint8Array | null;
  values: number[];
  strings: string[];
}

function read(bytes: Uint8Array): Tensor {
  const tensor: Tensor = { type: 0, content: null, values: [], strings: [] };
  const fields = new ProtoReader(bytes);
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    const kind = kinds[field];
    if (field === 1) tensor.type = fields.integer();
    else if (field === 4) tensor.content = fields.bytes();
    else if (field === 8) tensor.strings.push(fields.text());
    else if (kind) tensor.values.push(...fields.repeated(kind));
    else fields.skip();
  }
  return tensor;
}

/** The value of a tensor of one number; null for any other. */
export function scalarOf(bytes: Uint8Array): number | null {
  const { type, content, values } = read(bytes);
  const element = contents[type];
  if (!element) return null;
  if (content && content.length > 0)
    return content.length === element.bytes
      ? element.read(new DataView(content.buffer, content.byteOffset, content.length))
      : null;
  if (values.length !== 1) return null;
  if (type === types.half) return halfOf(values[0]);
  return type === types.bfloat16 ? bfloat16Of(values[0]) : values[0];
}

/** The first text of a tensor of texts; null for any other. */
export const stringOf = (bytes: Uint8Array): string | null => read(bytes).strings.at(0) ?? null;
