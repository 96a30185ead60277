import type { DatasetRow } from '../../preload/contract/datasets.ts';
import { toJson } from './json.ts';

/** Texts of a row, in the order in which they are packed and stored. */
const TEXTS = 7;
const textsOf = (r: DatasetRow): readonly (string | null)[] => [
  r.promptId,
  r.prompt,
  r.answer,
  r.reference,
  r.source,
  r.messages ? toJson(r.messages) : null,
  r.extra ? toJson(r.extra) : null,
];

/**
 * Rows as arrays of bytes, which threads hand on as they are, and which the database stores without decoding
 * them: copying objects and texts from thread to thread costs an import more time than storing them.
 */
export interface PackedRows {
  readonly count: number;
  /** Row and line of each row. */
  readonly places: Float64Array;
  /** 1 right, 0 wrong, -1 unknown. */
  readonly marks: Int8Array;
  /** Bytes of each text in UTF-8, row by row; -1 for null. */
  readonly lengths: Int32Array;
  readonly bytes: Uint8Array;
}

/** Memory that the texts of a batch are written into, as large as the largest batch so far. */
let scratch = Buffer.alloc(0);

const withRoom = (used: number, more: number): void => {
  if (used + more <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * (used + more));
  scratch.copy(larger, 0, 0, used);
  scratch = larger;
};

export const packRows = (rows: readonly DatasetRow[]): PackedRows => {
  const places = new Float64Array(2 * rows.length);
  const marks = new Int8Array(rows.length);
  const lengths = new Int32Array(TEXTS * rows.length);
  let used = 0;
  for (const [i, row] of rows.entries()) {
    places[2 * i] = row.row;
    places[2 * i + 1] = row.line;
    marks[i] = row.correct === null ? -1 : Number(row.correct);
    for (const [at, text] of textsOf(row).entries()) {
      if (text === null) {
        lengths[TEXTS * i + at] = -1;
        continue;
      }
      withRoom(used, 3 * text.length); // a UTF-16 unit takes at most three bytes
      const length = scratch.write(text, used, 'utf8');
      lengths[TEXTS * i + at] = length;
      used += length;
    }
  }
  return { count: rows.length, places, marks, lengths, bytes: new Uint8Array(scratch.subarray(0, used)) };
};

/** A row as values to bind: places, mark, then its texts as bytes. */
export type BoundRow = readonly (number | null | Uint8Array)[];

/** The columns of a bound row, and placeholders that store its bytes as texts. */
export const boundColumns =
  'row, line, correct, prompt_id, prompt, answer, reference, source, messages, extra';
export const boundValues = `?, ?, ?${', cast(? as text)'.repeat(TEXTS)}`;

/** Splits packed rows into parts of at most `most.rows` rows and about `most.bytes` bytes. */
export function* packedParts(
  { count, places, marks, lengths, bytes }: PackedRows,
  most: { readonly rows: number; readonly bytes: number },
): Generator<readonly BoundRow[]> {
  let [part, begin, end]: [BoundRow[], number, number] = [[], 0, 0];
  for (let i = 0; i < count; i++) {
    const row: (number | null | Uint8Array)[] = [
      places[2 * i],
      places[2 * i + 1],
      marks[i] < 0 ? null : marks[i],
    ];
    for (let at = TEXTS * i; at < TEXTS * (i + 1); at++) {
      const length = lengths[at];
      row.push(length < 0 ? null : bytes.subarray(end, end + length));
      end += Math.max(0, length);
    }
    part.push(row);
    if (part.length < most.rows && end - begin < most.bytes && i + 1 < count) continue;
    yield part;
    [part, begin] = [[], end];
  }
}
