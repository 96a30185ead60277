/**
 * Protocol Buffers, as much as logs need: fields are read one after the other, without a schema
 * (https://protobuf.dev/programming-guides/encoding).
 */

/** A message that does not follow the encoding; the caller knows the file and the byte. */
export class MalformedMessage extends Error {}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const SAFE_BYTES = 7;

/** Reads the fields of one message, in order: `next` moves to a field, then one call takes its value. */
export class ProtoReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  #at: number;
  #wire = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = 0;
    this.#end = bytes.length;
  }

  /** Number of the next field; 0 at the end. Throws `MalformedMessage`. */
  next(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.#number();
    this.#wire = tag % 8;
    const field = (tag - this.#wire) / 8;
    if (field < 1) throw new MalformedMessage(`a field has the number ${field}`);
    return field;
  }

  /** An int64 of a varint; beyond ±2⁵³ the nearest number. */
  integer(): number {
    this.#expect(VARINT);
    return this.#number();
  }

  double(): number {
    this.#expect(FIXED64);
    return this.#view.getFloat64(this.#moved(8), true);
  }

  float(): number {
    this.#expect(FIXED32);
    return this.#view.getFloat32(this.#moved(4), true);
  }

  /** The bytes of a string, a nested message or packed numbers; a view of the message. */
  bytes(): Uint8Array {
    this.#expect(BYTES);
    const length = this.#number();
    return this.#bytes.subarray(this.#moved(length), this.#at);
  }

  text(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  }

  nested(): ProtoReader {
    return new ProtoReader(this.bytes());
  }

  /** Numbers of a repeated field, packed into one value or one of several. */
  repeated(kind: 'float' | 'double' | 'integer'): number[] {
    if (this.#wire !== BYTES) return [this[kind]()];
    const inner = new ProtoReader(this.bytes());
    const values: number[] = [];
    inner.#wire = { float: FIXED32, double: FIXED64, integer: VARINT }[kind];
    while (inner.#at < inner.#end) values.push(inner[kind]());
    return values;
  }

  /** Moves past the value of the field. */
  skip(): void {
    if (this.#wire === VARINT) this.#number();
    else if (this.#wire === FIXED64) this.#moved(8);
    else if (this.#wire === BYTES) this.bytes();
    else if (this.#wire === FIXED32) this.#moved(4);
    else throw new MalformedMessage(`a field has the unknown wire type ${this.#wire}`);
  }

  #expect(wire: number): void {
    if (this.#wire !== wire)
      throw new MalformedMessage(`a field has the wire type ${this.#wire} instead of ${wire}`);
  }

  /** The place before a move by `length` bytes. */
  #moved(length: number): number {
    const from = this.#at;
    if (from + length > this.#end) throw new MalformedMessage('a field ends behind its message');
    this.#at = from + length;
    return from;
  }

  #number(): number {
    const start = this.#at;
    let [value, scale] = [0, 1];
    for (let i = 0; i < SAFE_BYTES; i += 1) {
      const byte = this.#bytes[this.#moved(1)];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    this.#at = start;
    return this.#long();
  }

  /** A varint of eight to ten bytes, negative if its 64th bit is set. */
  #long(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#moved(1)];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new MalformedMessage('a number has more than ten bytes');
  }
}

/** Writes messages into memory that grows and is used again. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #at = 0;

  /** Starts a new message; bytes that were taken before are overwritten. */
  clear(): this {
    this.#at = 0;
    return this;
  }

  /** A view of the message, valid until the next `clear`. */
  taken(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** An int64; a whole number within ±2⁵³. */
  integer(field: number, value: number): this {
    this.#tag(field, VARINT);
    this.#varint(value);
    return this;
  }

  double(field: number, value: number): this {
    this.#tag(field, FIXED64);
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
    return this;
  }

  float(field: number, value: number): this {
    this.#tag(field, FIXED32);
    this.#reserve(4);
    this.#at = this.#bytes.writeFloatLE(value, this.#at);
    return this;
  }

  text(field: number, value: string): this {
    return this.message(field, () => {
      this.#reserve(3 * value.length);
      this.#at += this.#bytes.write(value, this.#at, 'utf8');
    });
  }

  /** A nested message, whose fields `write` adds. */
  message(field: number, write: () => void): this {
    this.#tag(field, BYTES);
    const from = this.#at;
    this.#at += 1; // most lengths take one byte
    this.#reserve(0);
    write();
    const length = this.#at - from - 1;
    const extra = lengthBytes(length) - 1;
    this.#reserve(extra);
    this.#bytes.copyWithin(from + 1 + extra, from + 1, this.#at);
    this.#at = from;
    this.#varint(length);
    this.#at = from + 1 + extra + length;
    return this;
  }

  #tag(field: number, wire: number): void {
    this.#varint(field * 8 + wire);
  }

  #varint(value: number): void {
    this.#reserve(10);
    if (value < 0) return this.#negative(value);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest >= 128n) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + more));
    this.#bytes.copy(larger, 0, 0, Math.min(this.#at, this.#bytes.length));
    this.#bytes = larger;
  }
}

const lengthBytes = (length: number): number => {
  let [bytes, rest] = [1, length];
  while (rest >= 128) {
    rest = Math.floor(rest / 128);
    bytes += 1;
  }
  return bytes;
};
