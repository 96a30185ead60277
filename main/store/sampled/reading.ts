import type { BrowsedSample, SamplePage } from '../../../preload/contract/samples.ts';
import { fitting } from '../context.ts';
import type { Db } from '../database.ts';
import type { Place } from './batch.ts';
import type { SampleTable } from './table.ts';
import { verdictOf } from './verdict.ts';

type Row = Place & {
  readonly run_id: string;
  readonly id: string;
  readonly step: number;
  readonly purpose: BrowsedSample['purpose'];
  readonly prompt_id: string;
  readonly sample: number;
  readonly prompt: string;
  readonly completion: string;
  readonly token_count: number;
  readonly prompt_length: number;
  readonly logp: number | null;
  readonly stop_reason: BrowsedSample['stopReason'];
  readonly temperature: number;
};

/** An answer with its row in the table. */
export interface StoredAnswer {
  readonly row: number;
  readonly sample: BrowsedSample;
}

/** Reads answers of a table with their texts and scores. */
export function answerReader(table: SampleTable): (row: number) => StoredAnswer {
  const select = table.db.prepare<[string, number, number, number], Row>(
    'select * from trajectories where run_id = ? and attempt = ? and sequence = ? and position = ?',
  );
  const scores = scoreReader(table.db);
  const shown = table.db
    .prepare<[string], string>('select shown from trajectory_contexts where trajectory_id = ?')
    .pluck();
  const superseded = table.set('excluded');
  return (row) => {
    const { runId, attempt, sequence, position } = table.placeOf(row);
    const found = select.get(runId, attempt, sequence, position);
    // trajectories are immutable, and a removed run has no table
    if (!found) throw new TypeError(`the answer ${row} of ${runId} is missing`);
    const sample = { ...sampleFrom(found, scores(found.id)), superseded: superseded.has(row) };
    const context = shown.get(found.id);
    return { row, sample: { ...sample, ...(context !== undefined && { shown: context }) } };
  };
}

/** The scores of an answer. */
function scoreReader(db: Db): (id: string) => Record<string, number> {
  const select = db
    .prepare<[string], [string, number | null]>('select scorer, value from scores where trajectory_id = ?')
    .raw();
  return (id) =>
    Object.fromEntries(select.all(id).map(([scorer, value]) => [scorer, value ?? Number.NaN] as const));
}

const sampleFrom = (row: Row, scores: Record<string, number>): BrowsedSample => ({
  id: row.id,
  runId: row.run_id,
  attempt: row.attempt,
  step: row.step,
  purpose: row.purpose,
  promptId: row.prompt_id,
  sample: row.sample,
  prompt: row.prompt,
  completion: row.completion,
  tokens: row.token_count - row.prompt_length,
  logp: row.logp ?? Number.NaN,
  stopReason: row.stop_reason,
  scores,
  temperature: row.temperature,
  promptTokens: row.prompt_length,
  superseded: false,
  correct: verdictOf(scores),
  key: null,
  copies: 1,
});

/** The newest answers of a run by their place, without columns: none is marked as superseded. */
export function newestAnswers(
  db: Db,
  runId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): SamplePage {
  const scores = scoreReader(db);
  const rows = db
    .prepare<[string, number, number], Row>(
      'select * from trajectories where run_id = ? order by attempt desc, sequence desc, position desc limit ? offset ?',
    )
    .iterate(runId, limit, offset);
  const found = fitting(rows, (row) => row.prompt.length + row.completion.length);
  return {
    total: null,
    more: found.length > 0,
    asOf: [],
    samples: found.map((row) => sampleFrom(row, scores(row.id))),
    prompts: [],
  };
}
