import { fromJson } from '../json.ts';

/** Number of rows in a part. */
export const partRows = 8192;
export const partOf = (row: number): number => Math.floor(row / partRows);

/** Most different values of a column in one part; a column with more is kept as text. */
const mostValues = 1000;
/** Most characters of a value that is counted, and of the texts of a part; longer ones are found by reading rows. */
const mostCharacters = { value: 200, part: 64 * partRows };
/** Most columns of one part; rows with others are found by reading them. */
const mostColumns = 256;
/** Marks the rows of a part that have other columns. */
export const otherColumns = '…';

/** The source of a column's cells. */
export interface CellRow {
  readonly row: number;
  readonly line: number;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly correct: number | null;
  readonly source: string;
  readonly extra: string | null;
}

/**
 * A column of one part. `number`: a value per row, NaN where it has none. `category`: an index into `values`
 * plus 1 per row, 0 where it has none. `text`: 1 where it has a value, else 0; with `texts`, unless they are long.
 */
export type PartColumn =
  | { readonly kind: 'number'; readonly data: Float64Array }
  | { readonly kind: 'category'; readonly data: Uint16Array; readonly values: readonly string[] }
  | { readonly kind: 'text'; readonly data: Uint8Array; readonly texts: string | null };

/** Sign between the texts of a part, of which there is one per row, in lower case, and one after the last. */
export const textEnd = '\u0001';

/** Names of extra columns are stored with this in front, so that none can be a built-in column's. */
export const extraName = (column: string): string => `extra.${column}`;

/** A value as the text that a query compares with. */
export const cellText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const markNames = ['wrong', 'right'] as const;
const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Builds the columns of one part from its rows, in any order. */
export class PartBuilder {
  readonly #columns = new Map<string, ColumnBuilder>();
  readonly #first: number;
  readonly #size: number;

  constructor(part: number, size: number = partRows) {
    this.#first = part * partRows;
    this.#size = size;
  }

  add({ row, line, prompt, answer, reference, correct, source, extra }: CellRow): void {
    const at = row - this.#first;
    this.#put('line', at, line);
    this.#put('length', at, answer.length);
    this.#put('promptlength', at, prompt.length);
    this.#put('mark', at, correct === null ? 'unmarked' : markNames[correct]);
    if (source) this.#put('source', at, source);
    if (reference !== null) this.#put('reference', at, reference);
    if (extra === null) return;
    for (const [name, value] of Object.entries(fromJson<Record<string, unknown>>(extra)))
      if (isFilled(value)) this.#put(extraName(name), at, value);
  }

  get #isFull(): boolean {
    return this.#columns.size >= mostColumns;
  }

  /** The columns by name. */
  columns(): ReadonlyMap<string, PartColumn> {
    return new Map([...this.#columns].map(([name, column]) => [name, column.finish()]));
  }

  #put(name: string, at: number, value: unknown): void {
    let column = this.#columns.get(name);
    if (!column && this.#isFull) name = otherColumns;
    column ??= this.#columns.get(name);
    if (!column) this.#columns.set(name, (column = new ColumnBuilder(this.#size)));
    column.put(at, value);
  }
}

/** The column of one part with these cells; NaN and null: none. */
export function partColumn(cells: Float64Array | readonly unknown[]): PartColumn {
  if (cells instanceof Float64Array) return { kind: 'number', data: cells };
  const builder = new ColumnBuilder(partRows);
  for (const [at, cell] of cells.entries()) if (isFilled(cell)) builder.put(at, cell);
  return builder.finish();
}

/** Collects the cells of a column: numbers as long as all are, then values, then only where there are some. */
class ColumnBuilder {
  readonly #filled: Uint8Array;
  #numbers: Float64Array | null;
  #codes: Uint16Array | null = null;
  readonly #values = new Map<string, number>();
  #texts: string[] | null = null;
  #characters = 0;

  constructor(size: number) {
    this.#filled = new Uint8Array(size);
    this.#numbers = new Float64Array(size).fill(Number.NaN);
  }

  put(at: number, value: unknown): void {
    this.#filled[at] = 1;
    if (this.#numbers && typeof value === 'number') {
      this.#numbers[at] = value;
      return;
    }
    if (this.#numbers) this.#toValues(this.#numbers);
    this.#encode(at, cellText(value));
  }

  finish(): PartColumn {
    if (this.#numbers) return { kind: 'number', data: this.#numbers };
    if (this.#codes) return { kind: 'category', data: this.#codes, values: [...this.#values.keys()] };
    return { kind: 'text', data: this.#filled, texts: this.#texts && joinedTexts(this.#texts) };
  }

  #toValues(numbers: Float64Array): void {
    this.#numbers = null;
    this.#codes = new Uint16Array(this.#filled.length);
    this.#texts = new Array<string>(this.#filled.length).fill('');
    for (const [at, value] of numbers.entries()) if (!Number.isNaN(value)) this.#encode(at, cellText(value));
  }

  #encode(at: number, text: string): void {
    this.#characters += text.length;
    if (this.#characters > mostCharacters.part) this.#texts = null;
    if (this.#texts) this.#texts[at] = text;
    if (!this.#codes) return;
    let code = this.#values.get(text);
    if (code === undefined) {
      if (this.#values.size === mostValues || text.length > mostCharacters.value) {
        this.#codes = null;
        return;
      }
      this.#values.set(text, (code = this.#values.size + 1));
    }
    this.#codes[at] = code;
  }
}

/** The texts of a part as one: a search of it finds the rows. */
export const joinedTexts = (texts: readonly string[]): string =>
  texts.map((text) => text.toLowerCase().replaceAll(textEnd, ' ') + textEnd).join('');

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array | Uint16Array | Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** A column as bytes: for categories, the length of the JSON of the values first. Little-endian. */
export function columnBytes(column: PartColumn): Buffer {
  if (column.kind === 'number') return bytesOf(column.data);
  if (column.kind === 'text') return Buffer.concat([bytesOf(column.data), Buffer.from(column.texts ?? '')]);
  const values = Buffer.from(JSON.stringify(column.values));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(values.length);
  return Buffer.concat([head, bytesOf(column.data), values]);
}

/** The column of these bytes. */
export function columnFrom(kind: PartColumn['kind'], bytes: Buffer): PartColumn {
  const copied = (from: number, to: number): ArrayBuffer =>
    bytes.buffer.slice(bytes.byteOffset + from, bytes.byteOffset + to) as ArrayBuffer;
  if (kind === 'number') return { kind, data: new Float64Array(copied(0, bytes.length)) };
  if (kind === 'text') {
    const texts = bytes.length > partRows ? bytes.toString('utf8', partRows) : null;
    return { kind, data: new Uint8Array(copied(0, partRows)), texts };
  }
  const valuesAt = bytes.length - bytes.readUInt32LE(0);
  return {
    kind,
    data: new Uint16Array(copied(4, valuesAt)),
    values: JSON.parse(bytes.toString('utf8', valuesAt)) as string[],
  };
}
