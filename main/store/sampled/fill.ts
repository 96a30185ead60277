import { isLive, type RunState } from '../../../preload/wire/run-states.ts';
import { found } from '../context.ts';
import { staged, type Db } from '../database.ts';
import { partRows } from '../rows/part.ts';
import type { Sliced } from '../slices.ts';
import { readBatch, start, type Place } from './batch.ts';
import { EqualAnswers } from './keys.ts';
import { pack, unpackInto } from './packed.ts';

/** A part of a run's columns that is on disk. */
export interface StoredPart extends Place {
  readonly count: number;
}
/** The index of a run's answers: `parts` are its valid parts, without gaps. */
export interface Indexed {
  readonly number: number | null;
  readonly stamp: number;
  /** Answers below this place are in the full-text index. */
  readonly texts: number;
  readonly parts: readonly StoredPart[];
}

/** A part to be stored, with packed columns. */
export interface FilledPart {
  readonly runId: string;
  readonly part: number;
  readonly stamp: number;
  readonly count: number;
  readonly last: Place;
  readonly columns: readonly (readonly [name: string, data: Uint8Array])[];
}

export function indexedOf(db: Db, runId: string): Indexed {
  const own = db
    .prepare<[string], { number: number; stamp: number; texts: number }>(
      'select number, stamp, texts from sampled_runs where run_id = ?',
    )
    .get(runId);
  if (!own) return { number: null, stamp: 0, texts: 0, parts: [] };
  const stored = db
    .prepare<[number, number], StoredPart & { part: number }>(
      'select part, count, attempt, sequence, position from sample_parts where number = ? and stamp = ? order by part',
    )
    .all(own.number, own.stamp);
  return { ...own, parts: stored.slice(0, validCount(stored)) };
}

/** Parts up to the first gap; only the last one may have fewer rows than a part holds. */
function validCount(stored: readonly { readonly part: number; readonly count: number }[]): number {
  const end = stored.findIndex(({ part }, at) => part !== at || (at > 0 && stored[at - 1].count < partRows));
  return end < 0 ? stored.length : end;
}

/** True if a run has an answer after this place. */
export const hasMore = (db: Db, runId: string, { attempt, sequence, position }: Place): boolean =>
  db
    .prepare(
      'select 1 from trajectories where run_id = ? and (attempt, sequence, position) > (?, ?, ?) limit 1',
    )
    .get(runId, attempt, sequence, position) !== undefined;

/** Equal answers of the parts filled last, so that filling the next part need not read them again. */
interface Filling {
  readonly runId: string;
  readonly stamp: number;
  readonly parts: number;
  readonly equal: EqualAnswers;
}
const fillings = new WeakMap<Db, Filling>();

/**
 * Derives the next part of a run's columns that is not stored; null if all are. The last part of a run that
 * still goes on is left to those who read it.
 */
export function* nextPart(db: Db, runId: string): Sliced<FilledPart | null> {
  const { state } = found(
    db
      .prepare<[string], { state: RunState }>('select state from runs where id = ? and visible = 1')
      .get(runId),
    'run',
    runId,
  );
  const indexed = indexedOf(db, runId);
  const newest = indexed.parts.at(-1);
  if (newest && !hasMore(db, runId, newest)) return null;
  const complete = indexed.parts.filter(({ count }) => count === partRows);
  const part = complete.length;
  const batch = yield* readBatch(db, runId, complete.at(-1) ?? start, partRows);
  if (batch.count === 0 || (batch.count < partRows && isLive({ state }))) return null;
  const equal = yield* equalIn(db, runId, indexed, part);
  const keys = (name: string): Float64Array => batch.columns.get(name) ?? new Float64Array(batch.count);
  const { prompts, answers } = equal.add(part * partRows, keys('promptkey'), keys('answerkey'));
  fillings.set(db, { runId, stamp: indexed.stamp, parts: part + 1, equal });
  const all = [...batch.columns, ['firstprompt', prompts], ['firstanswer', answers]] as const;
  return {
    runId,
    part,
    stamp: indexed.stamp,
    count: batch.count,
    last: batch.last,
    columns: all.map(([name, data]) => [name, pack(data)] as const),
  };
}

/** The equal answers among the first parts of a run. */
function* equalIn(db: Db, runId: string, { number, stamp }: Indexed, parts: number): Sliced<EqualAnswers> {
  const known = fillings.get(db);
  if (known?.runId === runId && known.stamp === stamp && known.parts === parts) return known.equal;
  const equal = new EqualAnswers();
  const read = readColumn(db, number ?? 0);
  for (let part = 0; part < parts; part += 1, yield) {
    const keys = (name: string): Float64Array => {
      const data = new Float64Array(partRows);
      const bytes = read(name, part);
      if (bytes) unpackInto(bytes, data, 0, partRows);
      return data;
    };
    equal.add(part * partRows, keys('promptkey'), keys('answerkey'));
  }
  return equal;
}

/** Reads the bytes of one part of a stored column. */
export function readColumn(db: Db, number: number): (name: string, part: number) => Buffer | undefined {
  const read = db
    .prepare<[number, string, number], Buffer>(
      'select data from sample_columns where number = ? and name = ? and part = ?',
    )
    .pluck();
  return (name, part) => read.get(number, name, part);
}

/** Stores a part. A run that was removed, or whose scores changed meanwhile, drops it. */
export function putPart(db: Db, { runId, part, stamp, count, last, columns }: FilledPart): void {
  staged(db, () => {
    if (db.prepare('select 1 from runs where id = ? and visible = 1').get(runId) === undefined) return;
    db.prepare('insert or ignore into sampled_runs (run_id) values (?)').run(runId);
    const own = indexedOf(db, runId);
    if (own.stamp !== stamp) return;
    db.prepare('delete from sample_columns where number = ? and part = ?').run(own.number, part);
    const insert = db.prepare('insert into sample_columns (number, name, part, data) values (?, ?, ?, ?)');
    for (const [name, data] of columns) insert.run(own.number, name, part, Buffer.from(data));
    db.prepare('insert or replace into sample_parts values (?, ?, ?, ?, ?, ?, ?)').run(
      own.number,
      part,
      stamp,
      count,
      last.attempt,
      last.sequence,
      last.position,
    );
  });
}
