/** Kinds of packed numbers, by the code in the first byte. */
const kinds = { constant: 0, bytes: 1, shorts: 2, integers: 3, singles: 4, doubles: 5 } as const;
/** Bytes before the numbers; a multiple of 8, so that any array can begin there. */
const headBytes = 8;

type Numbers = Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array;

const packedAs = (kind: number, numbers: Numbers): Uint8Array => {
  const bytes = new Uint8Array(headBytes + numbers.byteLength);
  bytes[0] = kind;
  bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), headBytes);
  return bytes;
};

/** Packs numbers in the smallest array that holds each of them exactly; NaN stays NaN, −0 becomes 0. */
export function pack(data: Float64Array): Uint8Array {
  const first = data[0] ?? Number.NaN;
  if (data.every((value) => value === first || (Number.isNaN(value) && Number.isNaN(first))))
    return packedAs(kinds.constant, Float64Array.of(first));
  const within = (low: number, high: number): boolean =>
    data.every((value) => Number.isInteger(value) && value >= low && value <= high);
  if (within(0, 0xff)) return packedAs(kinds.bytes, Uint8Array.from(data));
  if (within(0, 0xffff)) return packedAs(kinds.shorts, Uint16Array.from(data));
  if (within(-0x8000_0000, 0x7fff_ffff)) return packedAs(kinds.integers, Int32Array.from(data));
  const isSingle = data.every((value) => Number.isNaN(value) || Math.fround(value) === value);
  return isSingle ? packedAs(kinds.singles, Float32Array.from(data)) : packedAs(kinds.doubles, data);
}

/** Writes packed numbers into `to` from `at` on; `count` of them. */
export function unpackInto(bytes: Uint8Array, to: Float64Array, at: number, count: number): void {
  // a copy, which begins at a multiple of 8
  const copied = new Uint8Array(bytes.subarray(headBytes)).buffer;
  switch (bytes[0]) {
    case kinds.constant:
      to.fill(new Float64Array(copied)[0], at, at + count);
      break;
    case kinds.bytes:
      to.set(new Uint8Array(copied), at);
      break;
    case kinds.shorts:
      to.set(new Uint16Array(copied), at);
      break;
    case kinds.integers:
      to.set(new Int32Array(copied), at);
      break;
    case kinds.singles:
      to.set(new Float32Array(copied), at);
      break;
    default:
      to.set(new Float64Array(copied), at);
  }
}
