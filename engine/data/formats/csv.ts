import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { broken, type ParsedRecord, type RecordReader } from './record.ts';

interface Parsed {
  readonly record: Record<string, string>;
  readonly info: { readonly lines: number };
  readonly raw: string;
}

const BATCH = 512;

/** Comma-, semicolon- or tab-separated values with a header line, which determines the separator. */
export const csv: RecordReader = async function* (chunks, limits) {
  let found: ParsedRecord[] = [];
  const text = chunks[Symbol.asyncIterator]();
  const first = await text.next();
  const head = first.done ? '' : first.value;
  const parser = parse({
    delimiter: separatorOf(head),
    columns: distinct,
    bom: true,
    info: true,
    raw: true,
    skip_empty_lines: true,
    max_record_size: limits.recordCharacters,
    skip_records_with_error: true,
    on_skip: (error, raw) => {
      if (error) found.push(broken(lineOf(error), reasonOf(error), raw ?? ''));
      return undefined;
    },
  });
  const rest = async function* () {
    if (!first.done) yield head;
    for (let next = await text.next(); !next.done; next = await text.next()) yield next.value;
  };
  const source = Readable.from(rest());
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info, raw } of source.pipe(parser) as AsyncIterable<Parsed>) {
      found.push({ line: info.lines - (raw.trimEnd().match(/\n/g)?.length ?? 0), value: record });
      if (found.length >= BATCH) {
        yield found;
        found = [];
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    found.push(broken(lineOf(error), reasonOf(error), ''));
  } finally {
    source.destroy();
  }
  yield found;
};

/**
 * Distinct header names: a repeated name gets its position appended, a missing one is named by its position.
 */
const distinct = (header: readonly string[]): string[] => {
  const names = header.map((name) => name.trim());
  return names.map((name, i) => {
    if (name === '') return `(column ${i + 1})`;
    return names.indexOf(name) === i ? name : `${name} (column ${i + 1})`;
  });
};

const separatorOf = (head: string): string => {
  const header = head.split(/\r?\n/, 1)[0].replaceAll(/"[^"]*"/g, '');
  const count = (separator: string) => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, separator) => (count(separator) > count(best) ? separator : best));
};

const lineOf = ({ lines }: CsvError): number => (typeof lines === 'number' ? lines : 1);
const reasonOf = (error: CsvError): string => `is not valid CSV (${error.message})`;
