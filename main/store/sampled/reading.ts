import type { BrowsedSample, SamplePage } from '../../../preload/contract/samples.ts';
import { fitting } from '../context.ts';
import type { Db } from '../database.ts';
import type { Place } from './batch.ts';
import { originReader } from './origins.ts';
import { scoreReader } from './scores.ts';
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
  const more = moreReader(table.db);
  const superseded = table.set('excluded');
  return (row) => {
    const { runId, attempt, sequence, position } = table.placeOf(row);
    const found = select.get(runId, attempt, sequence, position);
    // trajectories are immutable, and a removed run has no table
    if (!found) throw new TypeError(`the answer ${row} of ${runId} is missing`);
    return { row, sample: { ...sampleFrom(found, more(found.id)), superseded: superseded.has(row) } };
  };
}

type More = Pick<BrowsedSample, 'scores' | 'shown' | 'origin' | 'reply'>;

/** Reads what other tables have of an answer. */
function moreReader(db: Db): (id: string) => More {
  const scores = scoreReader(db);
  const origin = originReader(db);
  const select = db
    .prepare<[string], string>('select shown from trajectory_contexts where trajectory_id = ?')
    .pluck();
  const selectReply = db
    .prepare<[string], string>('select reply from trajectory_replies where trajectory_id = ?')
    .pluck();
  return (id) => {
    const [shown, reply] = [select.get(id), selectReply.get(id)];
    return {
      scores: scores(id),
      ...(shown !== undefined && { shown }),
      ...(reply !== undefined && { reply }),
      ...origin(id),
    };
  };
}

const sampleFrom = (row: Row, more: More): BrowsedSample => ({
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
  ...more,
  temperature: row.temperature,
  promptTokens: row.prompt_length,
  superseded: false,
  correct: verdictOf(more.scores),
  key: null,
  copies: 1,
});

/** The newest answers of a run by their place, without columns: none is marked as superseded. */
export function newestAnswers(
  db: Db,
  runId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): SamplePage {
  const more = moreReader(db);
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
    samples: found.map((row) => sampleFrom(row, more(row.id))),
    prompts: [],
  };
}
