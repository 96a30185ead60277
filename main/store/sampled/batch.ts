import type { Db } from '../database.ts';
import type { Sliced } from '../slices.ts';
import { textKey } from './keys.ts';
import { scoreReader } from './scores.ts';
import { verdictOf } from './verdict.ts';

/** Place of an answer in its run. Answers are stored in this order. */
export interface Place {
  readonly attempt: number;
  readonly sequence: number;
  readonly position: number;
}
export const start: Place = { attempt: -1, sequence: -1, position: -1 };

/** Columns of consecutive answers of a run. */
export interface Batch {
  readonly count: number;
  readonly columns: ReadonlyMap<string, Float64Array>;
  /** Place of the last answer. */
  readonly last: Place;
}

type Row = Place & {
  readonly id: string;
  readonly step: number;
  readonly purpose: (typeof purposes)[number];
  readonly prompt_id: string;
  readonly sample: number;
  readonly completion: string;
  readonly token_count: number;
  readonly prompt_length: number;
  readonly logp: number | null;
  readonly stop_reason: (typeof stops)[number];
  readonly temperature: number;
  readonly given: number;
  /** Of the answer that it continues or revises; null if there is none, or it is not stored. */
  readonly parent: string | null;
  readonly parentText: string | null;
  readonly givenCharacters: number | null;
};

/** Values of columns that hold one of a few; a cell is the index. */
export const purposes = ['train', 'evaluation', 'sample'] as const;
export const stops = ['end', 'length'] as const;
export const marks = ['unmarked', 'wrong', 'right'] as const;
/** Where an answer began: at its prompt, or in an answer of one of these marks. */
export const starts = ['prompt', ...marks] as const;

/** The stored name of a score's column. */
export const scoreColumn = (scorer: string): string => `score.${scorer}`;

/** Number of rows read in one step. */
const some = 200;

class BatchBuilder {
  readonly #size: number;
  readonly #columns = new Map<string, Float64Array>();
  #promptId: string | null = null;
  #promptKey = 0;
  count = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(row: Row, scoresOf: (id: string) => Readonly<Record<string, number>>): void {
    const values = scoresOf(row.id);
    // the answers to a prompt follow one another
    if (row.prompt_id !== this.#promptId)
      [this.#promptId, this.#promptKey] = [row.prompt_id, textKey(row.prompt_id)];
    const cells: Readonly<Record<string, number>> = {
      attempt: row.attempt,
      sequence: row.sequence,
      position: row.position,
      step: row.step,
      sample: row.sample,
      length: row.token_count - row.prompt_length,
      promptlength: row.prompt_length,
      logp: row.logp ?? Number.NaN,
      temperature: row.temperature,
      given: row.given,
      purpose: purposes.indexOf(row.purpose),
      stop: stops.indexOf(row.stop_reason),
      mark: markOf(values),
      start: startOf(row, scoresOf),
      back: linesBack(row),
      promptkey: this.#promptKey,
      answerkey: textKey(row.completion),
    };
    for (const name of Object.keys(cells)) this.#put(name, cells[name]);
    for (const scorer of Object.keys(values)) this.#put(scoreColumn(scorer), values[scorer]);
    this.count += 1;
  }

  #put(name: string, value: number): void {
    let column = this.#columns.get(name);
    if (!column) this.#columns.set(name, (column = new Float64Array(this.#size).fill(Number.NaN)));
    column[this.count] = value;
  }

  columns(): ReadonlyMap<string, Float64Array> {
    return new Map([...this.#columns].map(([name, data]) => [name, data.subarray(0, this.count)]));
  }
}

/** The index of the verifier's verdict among `marks`. */
function markOf(scores: Readonly<Record<string, number>>): number {
  const verdict = verdictOf(scores);
  return verdict === null ? 0 : verdict ? 2 : 1;
}

/** The index of where an answer began among `starts`. */
function startOf({ parent, given }: Row, scoresOf: (id: string) => Readonly<Record<string, number>>): number {
  if (parent === null) return given > 0 ? 1 : 0;
  return 1 + markOf(scoresOf(parent));
}

/**
 * Lines of its parent that an answer was cut back by: those behind their common beginning; NaN without a
 * parent.
 */
function linesBack({ completion, parentText, givenCharacters }: Row): number {
  if (parentText === null || givenCharacters === null) return Number.NaN;
  const most = Math.min(givenCharacters, parentText.length);
  let kept = 0;
  while (kept < most && parentText[kept] === completion[kept]) kept += 1;
  return parentText
    .slice(kept)
    .split('\n')
    .filter((line) => line !== '').length;
}

/** At most `most` answers of a run after a place. */
export function* readBatch(db: Db, runId: string, after: Place, most: number): Sliced<Batch> {
  const rows = db.prepare<[string, number, number, number, number], Row>(`
    select t.id, t.attempt, t.sequence, t.position, t.step, t.purpose, t.prompt_id, t.sample, t.completion,
      t.token_count, t.prompt_length, t.logp, t.stop_reason, t.temperature, coalesce(o.given_tokens, 0) given,
      o.given_characters givenCharacters, p.id parent, p.completion parentText
    from trajectories t left join trajectory_origins o on o.trajectory_id = t.id left join trajectories p on p.id = o.parent
    where t.run_id = ? and (t.attempt, t.sequence, t.position) > (?, ?, ?)
    order by t.attempt, t.sequence, t.position limit ?`);
  const scores = scoreReader(db);
  const builder = new BatchBuilder(most);
  let last = after;
  for (let isMore = true; isMore && builder.count < most; yield) {
    const wanted = Math.min(some, most - builder.count);
    const found = rows.all(runId, last.attempt, last.sequence, last.position, wanted);
    for (const row of found) builder.add(row, scores);
    const end = found.at(-1);
    if (end) last = { attempt: end.attempt, sequence: end.sequence, position: end.position };
    isMore = found.length === wanted;
  }
  return { count: builder.count, columns: builder.columns(), last };
}
