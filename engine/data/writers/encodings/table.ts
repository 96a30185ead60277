import type { ColumnKind, Columns, RecordOf } from '../writer.ts';

const kindOf = (value: unknown): ColumnKind =>
  typeof value === 'string'
    ? 'text'
    : typeof value === 'number'
      ? 'number'
      : typeof value === 'boolean'
        ? 'flag'
        : 'json';

/** The columns of records, in order of appearance, with the kind that suits all of their values. */
export const columnsOf = async (records: AsyncIterable<RecordOf>): Promise<Columns> => {
  const columns = new Map<string, ColumnKind | null>();
  for await (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const known = columns.get(name) ?? null;
      const kind = value === null || value === undefined ? known : kindOf(value);
      columns.set(name, known === null || known === kind ? kind : 'json');
    }
  }
  return new Map([...columns].map(([name, kind]) => [name, kind ?? 'text']));
};

const texts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...texts(each)]);
};

/** True if each text of a record can be written as UTF-8 without a loss. */
export const isWellFormed = (record: RecordOf): boolean => texts(record).every((text) => text.isWellFormed());
