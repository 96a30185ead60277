import { crc32 } from 'node:zlib';
import { blocksOf, type LogRecord, type RecordBatch } from './blocks.ts';

/**
 * The log format of LevelDB (doc/log_format.md) as Weights & Biases writes it: a header of seven bytes, then
 * records in blocks, each fragment with its checksum, length and type. The checksum is CRC-32 of type and data.
 */
const BLOCK = 32_768;
const HEAD = 7;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

/** `:W&B`, 0xBEE1 in little-endian order, version 0. */
export const wandbHeader = Buffer.from([0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00]);

const MOST_BYTES = 256 * 1024 * 1024;

/** Checksums of the types alone, with which those of fragments begin. */
const typeCrc = Array.from({ length: 5 }, (_none, type) => crc32(Buffer.from([type])));

type Fragment = { readonly type: number; readonly data: Buffer } | { readonly reason: string } | null;

/** The fragment at `from`, in a block that ends at `end`; null if the file ends before it does. */
function fragment(buffer: Buffer, from: number, end: number): Fragment {
  if (from + HEAD > buffer.length) return null;
  const [crc, length, type] = [buffer.readUInt32LE(from), buffer.readUInt16LE(from + 4), buffer[from + 6]];
  if (type < FULL || type > LAST) return { reason: `a record has the unknown type ${type}` };
  const to = from + HEAD + length;
  if (to > end) return { reason: 'a record ends behind its block' };
  if (to > buffer.length) return null;
  const data = buffer.subarray(from + HEAD, to);
  if (crc32(data, typeCrc[type]) !== crc) return { reason: 'the checksum of a record is wrong' };
  return { type, data };
}

/** Puts fragments together to records. */
class Assembly {
  #parts: Buffer[] = [];
  #bytes = 0;
  #at = 0;

  get isOpen(): boolean {
    return this.#parts.length > 0;
  }
  get at(): number {
    return this.#at;
  }

  /** The record that a fragment completes; null if there are more to come; a reason if it does not fit. */
  add(at: number, type: number, data: Buffer): LogRecord | { readonly reason: string } | null {
    if ((type === FULL || type === FIRST) === this.isOpen)
      return { reason: 'the parts of a record are out of order' };
    if (type === FULL) return { at, bytes: data };
    if (type === FIRST) [this.#at, this.#bytes] = [at, 0];
    this.#parts.push(data);
    this.#bytes += data.length;
    if (this.#bytes > MOST_BYTES) return { reason: `a record has more than ${MOST_BYTES} bytes` };
    if (type !== LAST) return null;
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    return { at: this.#at, bytes };
  }
}

/**
 * Records behind the header, which the caller has checked. Ends at the first damaged or incomplete record. A
 * file that is being written ends in an incomplete one, or in zeros.
 */
export async function* levelDbRecords(path: string): AsyncGenerator<RecordBatch> {
  const assembly = new Assembly();
  for await (const { at, bytes } of blocksOf(path)) {
    const records: LogRecord[] = [];
    for (let from = at === 0 ? HEAD : 0; from < bytes.length;) {
      const end = from - (from % BLOCK) + BLOCK;
      // less than a head is left empty
      if (end - from < HEAD) {
        from = end;
        continue;
      }
      const found = fragment(bytes, from, end);
      const added =
        found === null
          ? { reason: 'the last record is incomplete' }
          : 'reason' in found
            ? found
            : assembly.add(at + from, found.type, found.data);
      if (added && 'reason' in added) {
        yield { records, bytes: at + bytes.length, broken: { at: at + from, reason: added.reason } };
        return;
      }
      if (added) records.push(added);
      from += HEAD + (found && 'data' in found ? found.data.length : 0);
    }
    yield { records, bytes: at + bytes.length };
  }
  if (assembly.isOpen)
    yield { records: [], bytes: 0, broken: { at: assembly.at, reason: 'the last record is incomplete' } };
}

/** Frames records, one after the other, as a file of W&B holds them; the first call returns the header, too. */
export class LevelDbFraming {
  #at = 0;

  frame(data: Uint8Array): Buffer {
    const parts: Buffer[] = [];
    if (this.#at === 0) this.#push(parts, wandbHeader);
    let from = 0;
    for (let isFirst = true; isFirst || from < data.length; isFirst = false) {
      let left = BLOCK - (this.#at % BLOCK);
      if (left < HEAD) {
        this.#push(parts, Buffer.alloc(left));
        left = BLOCK;
      }
      const some = Buffer.from(data.subarray(from, from + left - HEAD));
      from += some.length;
      const isLast = from === data.length;
      const type = isFirst ? (isLast ? FULL : FIRST) : isLast ? LAST : MIDDLE;
      const head = Buffer.alloc(HEAD);
      head.writeUInt32LE(crc32(some, typeCrc[type]), 0);
      head.writeUInt16LE(some.length, 4);
      head[6] = type;
      this.#push(parts, head);
      this.#push(parts, some);
    }
    return Buffer.concat(parts);
  }

  #push(parts: Buffer[], bytes: Buffer): void {
    parts.push(bytes);
    this.#at += bytes.length;
  }
}
