import type { Trajectory } from '../../../engine/schema/trajectory.ts';
import type { AnswerOrigin } from '../../../preload/contract/runs.ts';
import type { Db } from '../database.ts';
import { scoreReader } from './scores.ts';
import { verdictOf } from './verdict.ts';

interface Row {
  readonly parent: string | null;
  readonly startState: string | null;
  readonly tokens: number;
  readonly characters: number;
}
type Place = Pick<NonNullable<AnswerOrigin['from']>, 'runId' | 'step' | 'sample'>;

/** Reads where an answer began; nothing for one that began at its prompt. */
export function originReader(db: Db): (id: string) => { readonly origin?: AnswerOrigin } {
  const select = db.prepare<[string], Row>(`
    select parent, start_state startState, given_tokens tokens, given_characters characters
    from trajectory_origins where trajectory_id = ?`);
  const place = db.prepare<[string], Place>(
    'select run_id runId, step, sample from trajectories where id = ?',
  );
  const scores = scoreReader(db);
  return (id) => {
    const own = select.get(id);
    if (!own) return {};
    const from = own.parent === null ? undefined : place.get(own.parent);
    return {
      origin: {
        ...own,
        from: from && own.parent !== null ? { ...from, correct: verdictOf(scores(own.parent)) } : null,
      },
    };
  };
}

/** Writes where an answer began, unless it began at its prompt. */
export function originWriter(db: Db): (answer: Trajectory) => void {
  const insert = db.prepare('insert into trajectory_origins values (?, ?, ?, ?, ?)');
  return ({ id, parent, startState, given = { tokens: 0, characters: 0 } }) => {
    if (parent === undefined && startState === undefined) return;
    insert.run(id, parent ?? null, startState ?? null, given.tokens, given.characters);
  };
}
