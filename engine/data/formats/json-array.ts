import { broken, jsonRecord, tooLong, type ParsedRecord, type Limits, type RecordReader } from './record.ts';

/** One JSON array of objects, read element by element: the whole array is never in memory. */
export const jsonArray: RecordReader = (chunks, limits) => elements(chunks, new ArrayScanner(limits));

/** The same for an array that is the only content of an object: `{"data": […]}`. */
export const jsonArrayInside: RecordReader = (chunks, limits) =>
  elements(chunks, new ArrayScanner(limits, '}'));

async function* elements(
  chunks: AsyncIterable<string>,
  scanner: ArrayScanner,
): AsyncGenerator<ParsedRecord[]> {
  for await (const chunk of chunks) yield scanner.push(chunk);
  yield scanner.end();
}

/**
 * Finds the elements of the outermost array by counting brackets outside strings; `JSON.parse` then checks
 * each element.
 */
class ArrayScanner {
  readonly #limits: Limits;
  #line = 1;
  #state: 'before' | 'inside' | 'after' = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Parts of the current element from earlier chunks; null between elements. */
  #parts: string[] | null = null;
  #length = 0;
  #startLine = 1;
  /** The closing text still expected after the array. */
  #closing: string;

  constructor(limits: Limits, closing = '') {
    this.#limits = limits;
    this.#closing = closing;
  }

  push(text: string): ParsedRecord[] {
    const found: ParsedRecord[] = [];
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const char = text[i];
      if (char === '\n') this.#line++;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (char === '\\') this.#escaped = true;
        else if (char === '"') this.#inString = false;
        continue;
      }
      if (this.#state !== 'inside') {
        this.#outside(char, found);
        continue;
      }
      const blank = char === ' ' || char === '\n' || char === '\r' || char === '\t';
      if (this.#depth === 0 && (char === ',' || char === ']')) {
        if (this.#parts !== null) found.push(this.#finish(text.slice(from, i)));
        if (char === ']') this.#state = 'after';
      } else if (this.#parts === null && !blank) {
        this.#parts = [];
        this.#length = 0;
        this.#startLine = this.#line;
        from = i;
      }
      if (this.#state !== 'inside') continue;
      if (char === '"') this.#inString = true;
      else if (char === '{' || char === '[') this.#depth++;
      else if (char === '}' || char === ']') this.#depth--;
    }
    if (this.#parts !== null) this.#keep(text.slice(from));
    return found;
  }

  end(): ParsedRecord[] {
    if (this.#state === 'after' && this.#closing === '') return [];
    const text = this.#parts?.join('') ?? '';
    return [
      broken(
        this.#parts === null ? this.#line : this.#startLine,
        'ends before its list does: the file was cut off',
        text,
      ),
    ];
  }

  #outside(char: string, found: ParsedRecord[]): void {
    if (this.#state === 'before' && char === '[') this.#state = 'inside';
    else if (char.trim() !== '' && this.#state === 'after' && this.#depth === 0) {
      if (char === this.#closing) {
        this.#closing = '';
        return;
      }
      this.#depth = 1; // reported once
      this.#closing = '';
      found.push(
        broken(
          this.#line,
          'has text after the end of the list',
          char,
          'Save the list of rows by itself ([…]), or one row a line.',
        ),
      );
    }
  }

  /** Stores the chunk's part of the element, up to the limit. */
  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length <= this.#limits.recordCharacters || this.#parts?.length === 0)
      this.#parts?.push(part.slice(0, this.#limits.recordCharacters));
  }

  #finish(lastPart: string): ParsedRecord {
    this.#keep(lastPart);
    const text = this.#parts?.join('') ?? '';
    this.#parts = null;
    return this.#length > this.#limits.recordCharacters
      ? tooLong(this.#startLine, this.#limits, text)
      : jsonRecord(this.#startLine, text);
  }
}
