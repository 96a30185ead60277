/**
 * Writer of the protocol-buffer wire format, which ONNX model files use. Fields are written in the order of
 * the calls.
 */
export class MessageWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  /** The message so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A whole number as a base-128 varint; negative ones take ten bytes, as int64 does. */
  int(field: number, value: number | bigint): this {
    this.#varint(field << 3);
    this.#varint(value);
    return this;
  }

  /** An IEEE float32. */
  float(field: number, value: number): this {
    this.#varint((field << 3) | 5);
    this.#reserve(4);
    new DataView(this.#bytes.buffer).setFloat32(this.#length, value, true);
    this.#length += 4;
    return this;
  }

  string(field: number, value: string): this {
    return this.raw(field, new TextEncoder().encode(value));
  }

  /** Bytes with their length in front. */
  raw(field: number, bytes: Uint8Array): this {
    this.#varint((field << 3) | 2);
    this.#varint(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** A nested message. */
  message(field: number, write: (inner: MessageWriter) => void): this {
    const inner = new MessageWriter();
    write(inner);
    return this.raw(field, inner.bytes);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
    larger.set(this.bytes);
    this.#bytes = larger;
  }

  #varint(value: number | bigint): void {
    this.#reserve(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest >= 0x80n) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }
}
