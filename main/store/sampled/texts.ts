import type { SearchWord } from '../../../preload/wire/row-search.ts';
import { staged, type Db } from '../database.ts';
import { Bits } from '../rows/bits.ts';
import { partOf, partRows } from '../rows/part.ts';
import type { Sliced } from '../slices.ts';
import { indexedOf, readColumn } from './fill.ts';
import { unpackInto } from './packed.ts';

/** Number of answers added to the full-text index in one transaction. */
const some = 100;

/**
 * Adds the next part of a run's answers to the full-text index; returns how many answers are in it. A text
 * that occurs several times in the run is added once.
 */
export function* fillTexts(db: Db, runId: string): Sliced<number> {
  const { number, texts, parts } = indexedOf(db, runId);
  const part = partOf(texts);
  if (number === null || part >= parts.length) return texts;
  const { count } = parts[part];
  const read = readColumn(db, number);
  const column = (name: string): Float64Array => {
    const data = new Float64Array(count);
    const bytes = read(name, part);
    if (bytes) unpackInto(bytes, data, 0, count);
    return data;
  };
  const [attempts, sequences, positions] = [column('attempt'), column('sequence'), column('position')];
  const [prompts, answers] = [column('firstprompt'), column('firstanswer')];
  const add = db.prepare(`
    insert into sample_search (rowid, prompt, answer)
    select (:number << 32) + :row, iif(:prompt, prompt, ''), iif(:answer, completion, '') from trajectories
    where run_id = :runId and attempt = :attempt and sequence = :sequence and position = :position`);
  const advance = db.prepare('update sampled_runs set texts = ? where number = ? and texts = ?');
  const first = part * partRows;
  let from = texts;
  while (from < first + count) {
    const to = Math.min(first + count, from + some);
    const isDone = staged(db, () => {
      // the run was removed, or another call added these
      if (advance.run(to, number, from).changes === 0) return true;
      for (let row = from; row < to; row += 1) {
        const at = row - first;
        const [prompt, answer] = [Number(prompts[at] === row), Number(answers[at] === row)];
        if (prompt + answer === 0) continue;
        const place = { attempt: attempts[at], sequence: sequences[at], position: positions[at] };
        add.run({ number, row, prompt, answer, runId, ...place });
      }
      return false;
    });
    if (isDone) break;
    from = to;
    yield;
  }
  return from;
}

/** Most matches that a first page waits for; pages of a more frequent word read answers. */
const quickMatches = 20_000;

/**
 * The places in a run of the texts that have all beginnings of a word; null if there are too many for a quick
 * answer.
 */
export function matchingTexts(
  db: Db,
  number: number,
  column: 'prompt' | 'answer',
  { prefixes }: SearchWord,
  quick: boolean,
): readonly number[] | null {
  const match = `${column} : (${prefixes.map((prefix) => `"${prefix}"*`).join(' AND ')})`;
  const rows = db
    .prepare<[string, number, number, number], number>(
      'select rowid & 0xffffffff from sample_search where sample_search match ? and rowid >= ? and rowid < ? limit ?',
    )
    .pluck()
    .all(match, number * 2 ** 32, (number + 1) * 2 ** 32, quick ? quickMatches + 1 : -1);
  return quick && rows.length > quickMatches ? null : rows;
}

/** The rows whose code is that of a matching row; all are places in one table. */
export function rowsWithCodes(codes: Float64Array, matching: readonly number[]): Bits {
  const isMatch = new Uint8Array(codes.length);
  for (const row of matching) isMatch[codes[row]] = 1;
  const bits = new Bits(codes.length);
  for (let row = 0; row < codes.length; row += 1) if (isMatch[codes[row]] === 1) bits.add(row);
  return bits;
}
