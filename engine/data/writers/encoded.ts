import { columnsOf } from './encodings/table.ts';
import type { ExportItem, RecordOf, Writer, Written } from './writer.ts';

/** Number of records written, and of items left out by reason. */
export class Tally {
  records = 0;
  readonly leftOut = new Map<string, number>();

  leave(reason: string, count = 1): void {
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + count);
  }
}

const writtenBy = (writer: Writer, item: ExportItem): Written => {
  if ('row' in item) return writer.fromRow?.(item.row) ?? { leftOut: 'rows' };
  if ('answer' in item) return writer.fromAnswer?.write(item.answer) ?? { leftOut: 'single answers' };
  return writer.fromPair?.(item.pair) ?? { leftOut: 'pairs' };
};

async function* recordsOf(
  writer: Writer,
  items: AsyncIterable<ExportItem>,
  tally: Tally,
): AsyncGenerator<RecordOf> {
  for await (const item of items) {
    const written = writtenBy(writer, item);
    if ('leftOut' in written) {
      tally.leave(written.leftOut);
      continue;
    }
    for (const record of written) {
      const fault = writer.encoding.cannotEncode?.(record) ?? null;
      if (fault !== null) {
        tally.leave(fault);
        continue;
      }
      tally.records++;
      yield record;
    }
  }
}

/**
 * The bytes of an export. `items` is called twice for a table, whose columns must be known before its rows;
 * both times it must give the same items.
 */
export async function* encoded(
  writer: Writer,
  items: () => AsyncIterable<ExportItem>,
  tally: Tally,
): AsyncGenerator<Uint8Array | string> {
  const columns = writer.encoding.isTable
    ? await columnsOf(recordsOf(writer, items(), new Tally()))
    : new Map<string, never>();
  yield* writer.encoding.encode(recordsOf(writer, items(), tally), columns);
}
