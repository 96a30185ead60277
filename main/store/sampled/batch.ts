import type { Db } from '../database.ts';
import type { Sliced } from '../slices.ts';
import { textKey } from './keys.ts';
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
};

/** Values of columns that hold one of a few; a cell is the index. */
export const purposes = ['train', 'evaluation', 'sample'] as const;
export const stops = ['end', 'length'] as const;
export const marks = ['unmarked', 'wrong', 'right'] as const;

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

  add(row: Row, scores: readonly (readonly [scorer: string, value: number | null])[]): void {
    const values = Object.fromEntries(scores.map(([scorer, value]) => [scorer, value ?? Number.NaN]));
    const verdict = verdictOf(values);
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
      mark: verdict === null ? 0 : verdict ? 2 : 1,
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

/** At most `most` answers of a run after a place. */
export function* readBatch(db: Db, runId: string, after: Place, most: number): Sliced<Batch> {
  const rows = db.prepare<[string, number, number, number, number], Row>(`
    select id, attempt, sequence, position, step, purpose, prompt_id, sample, completion, token_count, prompt_length,
      logp, stop_reason, temperature,
      coalesce((select given_tokens from trajectory_origins where trajectory_id = trajectories.id), 0) given
    from trajectories where run_id = ? and (attempt, sequence, position) > (?, ?, ?)
    order by attempt, sequence, position limit ?`);
  const scores = db
    .prepare<[string], [string, number | null]>('select scorer, value from scores where trajectory_id = ?')
    .raw();
  const builder = new BatchBuilder(most);
  let last = after;
  for (let isMore = true; isMore && builder.count < most; yield) {
    const wanted = Math.min(some, most - builder.count);
    const found = rows.all(runId, last.attempt, last.sequence, last.position, wanted);
    for (const row of found) builder.add(row, scores.all(row.id));
    const end = found.at(-1);
    if (end) last = { attempt: end.attempt, sequence: end.sequence, position: end.position };
    isMore = found.length === wanted;
  }
  return { count: builder.count, columns: builder.columns(), last };
}
