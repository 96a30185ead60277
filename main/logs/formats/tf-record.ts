import { crc32c, masked } from './crc32c.ts';
import { blocksOf, type Break, type LogRecord, type RecordBatch } from './blocks.ts';

/** Length and its checksum, before the data; and the checksum of the data, behind it. */
const HEAD = 12;
const FOOT = 4;

/** A longer record is taken for damage: nothing that tools log as a scalar is near it. */
const MOST_BYTES = 256 * 1024 * 1024;

type Parsed = { readonly record: LogRecord; readonly length: number } | { readonly reason: string } | null;

/** The record at `from`; null if it is not complete. */
function parse(buffer: Buffer, from: number, at: number): Parsed {
  if (buffer.length - from < HEAD) return null;
  if (buffer.readUInt32LE(from + 8) !== masked(crc32c(buffer, from, from + 8)))
    return { reason: 'the checksum of a record’s length is wrong' };
  const length = buffer.readUInt32LE(from) + 2 ** 32 * buffer.readUInt32LE(from + 4);
  if (length > MOST_BYTES) return { reason: `a record claims to have ${length} bytes` };
  const end = from + HEAD + length;
  if (buffer.length < end + FOOT) return null;
  if (buffer.readUInt32LE(end) !== masked(crc32c(buffer, from + HEAD, end)))
    return { reason: 'the checksum of a record is wrong' };
  return { record: { at, bytes: buffer.subarray(from + HEAD, end) }, length: HEAD + length + FOOT };
}

/**
 * Records of a TFRecord file, checked by their masked CRC-32C (TensorFlow, lib/io/record_writer.h). Ends at the
 * first damaged or incomplete record.
 */
export async function* tfRecords(path: string): AsyncGenerator<RecordBatch> {
  let [rest, at]: [Buffer, number] = [Buffer.alloc(0), 0];
  for await (const block of blocksOf(path)) {
    const buffer = rest.length === 0 ? block.bytes : Buffer.concat([rest, block.bytes]);
    const records: LogRecord[] = [];
    let from = 0;
    let broken: Break | undefined;
    for (;;) {
      const found = parse(buffer, from, at);
      if (found === null) break;
      if ('reason' in found) {
        broken = { at, reason: found.reason };
        break;
      }
      records.push(found.record);
      from += found.length;
      at += found.length;
    }
    yield { records, bytes: block.at + block.bytes.length, broken };
    if (broken) return;
    rest = buffer.subarray(from);
  }
  if (rest.length > 0)
    yield { records: [], bytes: at + rest.length, broken: { at, reason: 'the last record is incomplete' } };
}

/** One record, framed. */
export function tfRecord(data: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(HEAD + data.length + FOOT);
  framed.writeUInt32LE(data.length % 2 ** 32, 0);
  framed.writeUInt32LE(Math.floor(data.length / 2 ** 32), 4);
  framed.writeUInt32LE(masked(crc32c(framed, 0, 8)), 8);
  framed.set(data, HEAD);
  framed.writeUInt32LE(masked(crc32c(data)), HEAD + data.length);
  return framed;
}
