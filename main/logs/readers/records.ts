import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { RecordBatch } from '../formats/blocks.ts';
import { MalformedMessage } from '../formats/protobuf.ts';
import type { LogSink } from './reader.ts';

/**
 * Reads the records of binary log files, one file after the other, and yields the bytes read so far. A file
 * that is damaged is read up to the damage, which the sink is given. Throws `invalid-input` if nothing of a file
 * can be read.
 */
export async function* readRecords(
  files: readonly string[],
  format: { readonly batches: (path: string) => AsyncIterable<RecordBatch>; readonly what: string },
  sink: Pick<LogSink, 'damaged'>,
  take: (bytes: Uint8Array) => void,
): AsyncGenerator<number> {
  let before = 0;
  for (const path of files) {
    let [bytes, count] = [0, 0];
    for await (const batch of format.batches(path)) {
      let { broken } = batch;
      for (const record of batch.records) {
        try {
          take(record.bytes);
        } catch (error) {
          if (!(error instanceof MalformedMessage)) throw error;
          broken = { at: record.at, reason: error.message };
          break;
        }
        count += 1;
      }
      bytes = Math.max(bytes, batch.bytes);
      yield before + bytes;
      if (!broken) continue;
      // an empty or just created file is no error
      if (count === 0 && bytes > 0 && broken.reason !== 'the last record is incomplete')
        throw new WhetstoneError('invalid-input', `This is not ${format.what}: ${broken.reason}.`, {
          where: `${path}, byte ${broken.at}`,
          hint: 'Choose another file, or leave this one out of the folder.',
        });
      sink.damaged({ path, at: `byte ${broken.at}`, reason: broken.reason });
      break;
    }
    before += bytes;
  }
}
