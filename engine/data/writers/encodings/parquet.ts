import {
  ByteWriter,
  ParquetWriter,
  schemaFromColumnData,
  type BasicType,
  type ColumnSource,
} from 'hyparquet-writer';
import type { ColumnKind, Columns, Encoding, RecordOf } from '../writer.ts';
import { isWellFormed } from './table.ts';

/** A row group ends at so many rows, or at about so many characters: each is built in memory. */
const most = { rows: 10_000, characters: 8_000_000 };

const types: { readonly [K in ColumnKind]: BasicType } = {
  text: 'STRING',
  number: 'DOUBLE',
  flag: 'BOOLEAN',
  json: 'JSON',
};

const columnData = (rows: readonly RecordOf[], columns: Columns): ColumnSource[] =>
  [...columns].map(([name, kind]) => ({
    name,
    type: types[kind],
    data: rows.map((row) => row[name] ?? null),
    nullable: true,
  }));

const sizeOf = (record: RecordOf): number =>
  Object.values(record).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 16),
    0,
  );

/** Takes the bytes that the writer has collected, and empties it. */
const taken = (writer: ByteWriter): Uint8Array => {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
};

/** Parquet with Snappy, one row group at a time. */
export const parquet: Encoding = {
  isTable: true,
  async *encode(records, columns) {
    const bytes = new ByteWriter();
    const schema = schemaFromColumnData({ columnData: columnData([], columns) });
    const file = new ParquetWriter({ writer: bytes, schema, createdBy: 'whetstone' });
    let [rows, characters]: [RecordOf[], number] = [[], 0];
    const group = (): Uint8Array => {
      void file.write({ columnData: columnData(rows, columns), rowGroupSize: rows.length });
      [rows, characters] = [[], 0];
      return taken(bytes);
    };
    for await (const record of records) {
      rows.push(record);
      characters += sizeOf(record);
      if (rows.length >= most.rows || characters >= most.characters) yield group();
    }
    if (rows.length > 0) yield group();
    void file.finish();
    yield taken(bytes);
  },
  cannotEncode: (record) => (isWellFormed(record) ? null : 'records with halves of characters'),
};
