import { createHash } from 'node:crypto';
import { flag } from '../context.ts';
import type { Db } from '../database.ts';
import { excludedOf } from '../rows/marks.ts';
import { triesEveryPair, type Answers } from './pairing.ts';
import type { Sliced } from '../slices.ts';

/** SQL statements that read stored answers for pairs: from the rows of a dataset, or the samples of a run. */
export interface AnswerSource {
  readonly nextPrompt: (after: string) => string | null;
  readonly page: (promptId: string, after: number) => Row[];
  readonly text: (rowid: number) => string;
  /** Inserts a pair of the rows `a` and `b`. */
  readonly insertPair: string;
  /** One stored answer, with its prompt. */
  readonly answer: (rowid: number) => SourceAnswer | undefined;
}
export interface SourceAnswer {
  readonly prompt_id: string;
  readonly prompt: string;
  readonly text: string;
  readonly origin: string;
  readonly correct: number | null;
  /** JSON of the columns that belong to this answer only; null without any. */
  readonly extra: string | null;
}
/** `leftOut`: excluded from the dataset. */
type Row = { rowid: number; text: string; correct: number | null; leftOut?: boolean };

/** Number of answers read in one slice. */
const some = 100;

/** Most distinct answers of a prompt that are paired; bounds memory far above manual use. */
export const mostAnswers = 100_000;

/** SQL of an answer's columns. */
type Columns = (row: string) => { text: string; origin: string; correct: string; extra: string };

function answerOf(db: Db, table: string, columns: Columns): AnswerSource['answer'] {
  const { text, origin, correct, extra } = columns('x');
  const select = db.prepare<[number], SourceAnswer>(
    `select x.prompt_id, x.prompt, ${text} text, ${origin} origin, ${correct} correct, ${extra} extra from ${table} x where x.rowid = ?`,
  );
  return (rowid) => select.get(rowid);
}

const insertPair = (table: string, columns: Columns): string => {
  const [a, b] = [columns('x'), columns('y')];
  return `
  insert into pairs (id, set_id, position, prompt_id, prompt, a, b, origin_a, origin_b, correct_a, correct_b, left_is)
  select :id, :setId, :position, x.prompt_id, x.prompt, ${a.text}, ${b.text}, ${a.origin}, ${b.origin}, ${a.correct}, ${b.correct}, :leftIs
  from ${table} x, ${table} y where x.rowid = :a and y.rowid = :b`;
};

export function sourceOf(db: Db, kind: 'run' | 'dataset', id: string): AnswerSource {
  return kind === 'run' ? samplesOf(db, id) : rowsOf(db, id);
}

function rowsOf(db: Db, id: string): AnswerSource {
  const columns: Columns = (row) => ({
    text: `${row}.answer`,
    origin: `cast(${row}.row as text)`,
    correct: `${row}.correct`,
    extra: `${row}.extra`,
  });
  const next = db.prepare<[string, string], { prompt_id: string }>(
    'select prompt_id from rows_by_prompt where dataset_id = ? and prompt_id > ? order by prompt_id limit 1',
  );
  const excluded = excludedOf(db, id);
  const page = db.prepare<[string, string, number, number], Row & { row: number }>(`
    select id rowid, row, answer text, correct from rows_by_prompt
    where dataset_id = ? and prompt_id = ? and row > coalesce((select row from dataset_rows where rowid = ?), -1) order by row limit ?`);
  const text = db.prepare<[number], { text: string }>('select answer text from dataset_rows where rowid = ?');
  return {
    nextPrompt: (after) => next.get(id, after)?.prompt_id ?? null,
    page: (promptId, after) =>
      page
        .all(id, promptId, after, some)
        .map(({ row, ...rest }) => ({ ...rest, leftOut: excluded.has(row) })),
    text: (rowid) => text.get(rowid)?.text ?? '',
    insertPair: insertPair('dataset_rows', columns),
    answer: answerOf(db, 'dataset_rows', columns),
  };
}

/** SQL of the verifier's verdict on a sample: right if its score is above ½. */
const verified = (row: string): string =>
  `(select s.value > 0.5 from scores s where s.trajectory_id = ${row}.id and s.scorer = 'verifier' limit 1)`;

function samplesOf(db: Db, id: string): AnswerSource {
  const columns: Columns = (row) => ({
    text: `${row}.completion`,
    origin: `${row}.id`,
    correct: verified(row),
    extra: 'null',
  });
  const kinds = ['sample', 'evaluation'] as const;
  const next = db.prepare<[string, string, string], { prompt_id: string | null }>(
    'select min(prompt_id) prompt_id from trajectories where run_id = ? and purpose = ? and prompt_id > ?',
  );
  // rowids follow attempt, event and position in the event
  const page = db.prepare<[string, string, number, number], Row>(`
    select t.rowid, t.completion text, ${verified('t')} correct from trajectories t
    where t.run_id = ? and t.purpose in ('sample', 'evaluation') and t.prompt_id = ? and t.rowid > ? order by t.rowid limit ?`);
  const text = db.prepare<[number], { text: string }>(
    'select completion text from trajectories where rowid = ?',
  );
  return {
    nextPrompt: (after) =>
      kinds
        .map((kind) => next.get(id, kind, after)?.prompt_id ?? null)
        .filter((prompt) => prompt !== null)
        .sort()[0] ?? null,
    page: (promptId, after) => page.all(id, promptId, after, some),
    text: (rowid) => text.get(rowid)?.text ?? '',
    insertPair: insertPair('trajectories', columns),
    answer: answerOf(db, 'trajectories', columns),
  };
}

/** The distinct prompts, in order of id. */
export function* promptsOf(source: AnswerSource): Generator<string> {
  for (let prompt = source.nextPrompt(''); prompt !== null; prompt = source.nextPrompt(prompt)) yield prompt;
}

/** Answers with their rowids. */
export interface StoredAnswers extends Answers {
  row(this: void, at: number): number;
}

/**
 * The distinct answers to a prompt. A repeated text keeps its first position and the verdict of its last
 * occurrence. Of many answers, only rowids and hashes are in memory.
 */
export function* answersTo(source: AnswerSource, promptId: string): Sliced<StoredAnswers> {
  const places = new Map<string, number>();
  const rows: number[] = [];
  const marks: (boolean | null)[] = [];
  let texts: string[] | null = [];
  let characters = 0;
  for (let after = 0; ;) {
    const page = source.page(promptId, after);
    if (page.length === 0) break;
    for (const { rowid, text, correct, leftOut } of page) {
      after = rowid;
      if (leftOut) continue;
      const hash = createHash('sha256').update(text).digest('base64').slice(0, 24);
      const place = places.get(hash) ?? rows.length;
      if (place === mostAnswers) continue;
      if (place === rows.length) {
        places.set(hash, place);
        characters += text.length;
        texts?.push(text);
      }
      rows[place] = rowid;
      marks[place] = flag(correct);
    }
    if (!triesEveryPair({ count: rows.length, characters })) texts = null;
    yield;
  }
  const held = texts;
  return {
    promptId,
    count: rows.length,
    characters,
    row: (at) => rows[at],
    correct: (at) => marks[at],
    text: held ? (at) => held[at] : (at) => source.text(rows[at]),
  };
}
