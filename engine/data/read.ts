import { WhetstoneError } from '../common/errors.ts';
import { ColumnReport } from './columns.ts';
import { Doctor, type DataRow, type Findings } from './doctor.ts';
import type { Broken, Found } from './formats/index.ts';
import type { Mapping } from '../schema/mapping.ts';
import { promptIdOf } from '../random/hash.ts';
import {
  BadRecord,
  columnsIn,
  EmptyAnswer,
  faultOf,
  Fields,
  layoutOf,
  mappedShape,
  shapes,
  unrecognised,
  type Layout,
  type RecordOf,
  type ShapedRow,
} from './shapes/index.ts';
import { openSource } from './sources/index.ts';

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
  /** Columns chosen by a person, instead of a detected shape. */
  readonly mapping?: Mapping;
  readonly signal?: AbortSignal;
  /** Longest record, in characters. */
  readonly recordCharacters?: number;
}

/** A record that is kept aside, even if all lines must be good. */
type Aside = Broken & { readonly aside: true };

/** Longest record, in characters, unless `recordCharacters` says another number. */
const RECORD = 4_000_000;

/** Records that decide the shape by majority. */
const VOTERS = 50;

/**
 * Reads a dataset file of any known format and shape in a stream, without ever holding all of it. Throws
 * `invalid-input` with the file and line in `where` for an empty or binary file, columns that fit no shape,
 * and (unless `keepGoodLines`) the first broken line; `not-found`; `cancelled`. The caller drops the rows
 * stored so far if it throws.
 */
export async function* readDataset(path: string, options: ReadOptions = {}): AsyncGenerator<ReadEvent> {
  await using source = await openSource(path);
  const reading = new Reading(path, options);
  const batch = (part: { rows: DataRow[]; rejected: RejectedLine[] }): ReadEvent => ({
    state: 'reading',
    ...part,
    bytes: source.bytes,
    totalBytes: source.totalBytes,
  });
  for await (const found of source.records({ recordCharacters: options.recordCharacters ?? RECORD })) {
    if (options.signal?.aborted)
      throw new WhetstoneError('cancelled', 'The import was cancelled.', { where: path });
    yield batch(reading.take(found));
  }
  yield batch(reading.end());
  yield { state: 'done', doctor: reading.findings(source.title), hash: await source.hash() };
}

/** Turns records into rows. The first ones are buffered until the layout is known. */
class Reading {
  readonly #path: string;
  readonly #keepGoodLines: boolean;
  readonly #mapping: Mapping | undefined;
  readonly #doctor = new Doctor();
  readonly #columns = new ColumnReport();
  #waiting: Found[] = [];
  #layout: Layout | null = null;
  #why = '';
  #row = 0;
  /** The last prompt and its id. */
  #prompt = { text: '', id: promptIdOf('') };
  #records = 0;
  #rejected = 0;
  #aside = 0;
  #firstRejected: Broken | null = null;

  constructor(path: string, { keepGoodLines = false, mapping }: ReadOptions) {
    this.#path = path;
    this.#keepGoodLines = keepGoodLines;
    this.#mapping = mapping;
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
      aside: this.#aside,
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
    const layout = this.#layoutOf(values, records[0]);
    this.#layout = layout;
    this.#why = layout.shape.why(new Fields(values.find(layout.shape.matches) ?? {}, layout.marks));
    const waiting = this.#waiting;
    this.#waiting = [];
    return this.#laidOut(waiting, layout);
  }

  #layoutOf(values: readonly RecordOf[], first: { readonly line: number; readonly place?: string }): Layout {
    const where = first.place ?? `${this.#path}:${first.line}`;
    if (this.#mapping) {
      const columns = columnsIn(values);
      const fault = faultOf(this.#mapping, columns);
      if (fault === null) return { shape: mappedShape(this.#mapping), marks: [] };
      const hint = `The file has ${columns.map((name) => `"${name}"`).join(', ')}.`;
      throw new WhetstoneError('invalid-input', fault, { where, hint });
    }
    const layout = layoutOf(values);
    if (layout) return layout;
    const { message, hint } = unrecognised(values[0]);
    throw new WhetstoneError('invalid-input', message, { where, hint });
  }

  #laidOut(found: readonly Found[], layout: Layout): { rows: DataRow[]; rejected: RejectedLine[] } {
    const rows: DataRow[] = [];
    const rejected: RejectedLine[] = [];
    for (const one of found) {
      const result = 'value' in one ? this.#rowsOf(one, one.value as RecordOf, layout) : one;
      if ('reason' in result) {
        const isAside = 'aside' in result;
        if (!this.#keepGoodLines && !isAside) throw this.#refuse(result);
        if (isAside) this.#aside++;
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

  #rowsOf(
    { line, place }: Pick<Broken, 'line' | 'place'>,
    record: RecordOf,
    { shape, marks }: Layout,
  ): DataRow[] | Broken | Aside {
    const fields = new Fields(record, marks);
    try {
      const shaped = shape.rows(fields);
      const rest = fields.rest();
      const own = shaped.flatMap((row) => (row.extra ? [row.extra] : []));
      this.#columns.add(fields, own.length === 0 ? rest : Object.assign({}, rest, ...own));
      const isRest = Object.keys(rest).length > 0;
      return shaped.map((row) => {
        const extra = row.extra && isRest ? { ...rest, ...row.extra } : (row.extra ?? rest);
        return this.#stored(line, row, isRest || row.extra ? extra : null);
      });
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      const other = shapes.find((one) => one.matches(record));
      const unlike =
        other === undefined || other === shape
          ? ''
          : `; it is laid out as ${other.title}, the lines before it as ${shape.title}`;
      const isAside = error instanceof EmptyAnswer;
      return {
        line,
        ...(place !== undefined && { place }),
        ...(isAside && { aside: true }),
        reason: error.message + unlike,
        text: JSON.stringify(record).slice(0, 300),
      };
    }
  }

  #stored(line: number, shaped: ShapedRow, extra: RecordOf | null): DataRow {
    const { prompt, answer, reference, correct, source, messages } = shaped;
    // answers to one prompt mostly follow each other
    if (prompt !== this.#prompt.text) this.#prompt = { text: prompt, id: promptIdOf(prompt) };
    return {
      row: this.#row++,
      line,
      promptId: this.#prompt.id,
      prompt,
      answer,
      reference,
      correct,
      source,
      ...(messages && { messages }),
      ...(extra && Object.keys(extra).length > 0 && { extra }),
    };
  }

  #refuse({
    line,
    place = `${this.#path}:${line}`,
    reason,
    hint = 'Correct the line, or import again and keep the good lines.',
  }: Broken): WhetstoneError {
    return new WhetstoneError('invalid-input', `Line ${line} ${reason}.`, {
      where: place,
      hint,
    });
  }
}

/** A column of a file, with the start of its first value as an example. */
export interface ColumnExample {
  readonly name: string;
  readonly example: string;
}

/** Longest example, in characters. */
const EXAMPLE = 80;

/** The columns of a file's first records. Throws the errors of opening it. */
export async function readColumns(path: string): Promise<readonly ColumnExample[]> {
  await using source = await openSource(path);
  const examples = new Map<string, string>();
  let records = 0;
  for await (const found of source.records({ recordCharacters: RECORD })) {
    for (const one of found) {
      if (!('value' in one)) continue;
      records++;
      for (const [name, value] of Object.entries(one.value as RecordOf)) {
        const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
        if (!examples.get(name)) examples.set(name, text.slice(0, EXAMPLE));
      }
    }
    if (records >= VOTERS) break;
  }
  return [...examples].map(([name, example]) => ({ name, example }));
}
