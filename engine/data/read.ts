import { WhetstoneError } from '../common/errors.ts';
import { ColumnReport } from './columns.ts';
import { Doctor, type DataRow, type Findings } from './doctor.ts';
import { formatOf, type Broken, type Format, type Found } from './formats/index.ts';
import { promptIdOf } from '../random/hash.ts';
import {
  BadRecord,
  Fields,
  layoutOf,
  shapes,
  unrecognised,
  type Layout,
  type RecordOf,
} from './shapes/index.ts';
import { openTextFile } from './text-file.ts';

/** A rejected line, and the reason. */
export interface RejectedLine {
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

/**
 * Events of an import: batches of rows with the bytes read so far, and at the end the statistics of the
 * file.
 */
export type ReadEvent =
  | {
      readonly state: 'reading';
      readonly rows: readonly DataRow[];
      readonly rejected: readonly RejectedLine[];
      readonly bytes: number;
      readonly totalBytes: number;
    }
  | { readonly state: 'done'; readonly doctor: Findings; readonly hash: string };

export interface ReadOptions {
  /** Skips and reports broken lines instead of refusing the file at the first one. */
  readonly keepGoodLines?: boolean;
  readonly signal?: AbortSignal;
  /** Longest record, in characters. */
  readonly recordCharacters?: number;
}

/** Records that decide the shape by majority. */
const VOTERS = 50;

/**
 * Reads a dataset file of any known format and shape in a stream, without ever holding all of it. Throws
 * `invalid-input` with the file and line in `where` for an empty or binary file, columns that fit no shape,
 * and (unless `keepGoodLines`) the first broken line; `not-found`; `cancelled`. The caller drops the rows
 * stored so far if it throws.
 */
export async function* readDataset(path: string, options: ReadOptions = {}): AsyncGenerator<ReadEvent> {
  await using file = await openTextFile(path);
  const { format, chunks } = await detect(path, file.chunks());
  const reading = new Reading(path, options.keepGoodLines ?? false);
  const batch = (part: { rows: DataRow[]; rejected: RejectedLine[] }): ReadEvent => ({
    state: 'reading',
    ...part,
    bytes: file.bytes,
    totalBytes: file.totalBytes,
  });
  for await (const found of format.read(chunks, {
    recordCharacters: options.recordCharacters ?? 4_000_000,
  })) {
    if (options.signal?.aborted)
      throw new WhetstoneError('cancelled', 'The import was cancelled.', { where: path });
    yield batch(reading.take(found));
  }
  yield batch(reading.end());
  yield { state: 'done', doctor: reading.findings(format.title), hash: file.hash() };
}

/** Detects the format from the start of the text; the returned chunks begin there again. */
const detect = async (
  path: string,
  chunks: AsyncGenerator<string>,
): Promise<{ format: Format; chunks: AsyncIterable<string> }> => {
  let head = '';
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head += next.value;
    if (head.trim() !== '') break;
  }
  const start = head.trimStart();
  if (start === '')
    throw new WhetstoneError('invalid-input', 'The file holds only blanks.', {
      where: path,
      hint: 'Choose a file with at least one row.',
    });
  const format = formatOf(path, start);
  if (!format)
    throw new WhetstoneError('invalid-input', 'The file is neither JSON nor a table.', {
      where: `${path}:1`,
      hint: 'Choose JSON lines, a JSON array, or CSV with a header line.',
    });
  return {
    format,
    chunks: (async function* () {
      yield head;
      yield* chunks;
    })(),
  };
};

/** Turns records into rows. The first ones are buffered until the layout is known. */
class Reading {
  readonly #path: string;
  readonly #keepGoodLines: boolean;
  readonly #doctor = new Doctor();
  readonly #columns = new ColumnReport();
  #waiting: Found[] = [];
  #layout: Layout | null = null;
  #why = '';
  #row = 0;
  #records = 0;
  #rejected = 0;
  #firstRejected: Broken | null = null;

  constructor(path: string, keepGoodLines: boolean) {
    this.#path = path;
    this.#keepGoodLines = keepGoodLines;
  }

  take(found: readonly Found[]): { rows: DataRow[]; rejected: RejectedLine[] } {
    if (this.#layout) return this.#laidOut(found, this.#layout);
    for (const one of found) this.#waiting.push(one);
    return this.#waiting.length < VOTERS ? { rows: [], rejected: [] } : this.#decide();
  }

  end(): { rows: DataRow[]; rejected: RejectedLine[] } {
    const last = this.#layout ? { rows: [], rejected: [] } : this.#decide();
    const first = this.#firstRejected;
    if (this.#row === 0) {
      const why = first === null ? '' : ` The first: line ${first.line} ${first.reason}.`;
      throw new WhetstoneError('invalid-input', `None of the ${this.#rejected} lines can be read.${why}`, {
        where: this.#path,
        hint: first?.hint,
      });
    }
    return last;
  }

  findings(format: string): Findings {
    return this.#doctor.findings({
      format: `${format}, ${this.#layout?.shape.title ?? ''}`,
      why: this.#why,
      rows: this.#records,
      rejected: this.#rejected,
      columns: this.#columns.columns,
    });
  }

  #decide(): { rows: DataRow[]; rejected: RejectedLine[] } {
    const records = this.#waiting.flatMap((one) => ('value' in one ? [one] : []));
    if (records.length === 0) {
      const [first] = this.#waiting;
      if (first && 'reason' in first) throw this.#refuse(first);
      throw new WhetstoneError('invalid-input', 'The file has no rows.', {
        where: this.#path,
        hint: 'Choose a file with at least one row.',
      });
    }
    const values = records.map((one) => one.value as RecordOf);
    const layout = layoutOf(values);
    if (!layout) {
      const { message, hint } = unrecognised(values[0]);
      throw new WhetstoneError('invalid-input', message, { where: `${this.#path}:${records[0].line}`, hint });
    }
    this.#layout = layout;
    this.#why = layout.shape.why(new Fields(values.find(layout.shape.matches) ?? {}, layout.marks));
    const waiting = this.#waiting;
    this.#waiting = [];
    return this.#laidOut(waiting, layout);
  }

  #laidOut(found: readonly Found[], layout: Layout): { rows: DataRow[]; rejected: RejectedLine[] } {
    const rows: DataRow[] = [];
    const rejected: RejectedLine[] = [];
    for (const one of found) {
      const result = 'value' in one ? this.#rowsOf(one.line, one.value as RecordOf, layout) : one;
      if ('reason' in result) {
        if (!this.#keepGoodLines) throw this.#refuse(result);
        this.#rejected++;
        this.#firstRejected ??= result;
        rejected.push({ line: result.line, reason: result.reason, text: result.text });
        continue;
      }
      this.#records++;
      for (const row of result) {
        this.#doctor.add(row);
        rows.push(row);
      }
    }
    return { rows, rejected };
  }

  #rowsOf(line: number, record: RecordOf, { shape, marks }: Layout): DataRow[] | Broken {
    const fields = new Fields(record, marks);
    try {
      const shaped = shape.rows(fields);
      const rest = fields.rest();
      this.#columns.add(
        fields,
        Object.fromEntries([rest, ...shaped.map((row) => row.extra ?? {})].flatMap(Object.entries)),
      );
      return shaped.map(({ extra: own, ...row }) => {
        const extra = { ...rest, ...own };
        const isPlain = Object.keys(extra).length === 0;
        return {
          row: this.#row++,
          line,
          promptId: promptIdOf(row.prompt),
          ...row,
          ...(!isPlain && { extra }),
        };
      });
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      const other = shapes.find((one) => one.matches(record));
      const unlike =
        other === undefined || other === shape
          ? ''
          : `; it is laid out as ${other.title}, the lines before it as ${shape.title}`;
      return { line, reason: error.message + unlike, text: JSON.stringify(record).slice(0, 300) };
    }
  }

  #refuse({
    line,
    reason,
    hint = 'Correct the line, or import again and keep the good lines.',
  }: Broken): WhetstoneError {
    return new WhetstoneError('invalid-input', `Line ${line} ${reason}.`, {
      where: `${this.#path}:${line}`,
      hint,
    });
  }
}
