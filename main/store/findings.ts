import type { Findings } from '../../preload/contract/doctor.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { found, type StoreContext } from './context.ts';
import { numberOf, refuseWhileChanging, stacksOf } from './curation/log.ts';
import type { Db } from './database.ts';
import { fromJson, toJson } from './json.ts';
import { Bits } from './rows/bits.ts';
import { excludedOf, partsIn, putPart } from './rows/marks.ts';
import { partOf } from './rows/part.ts';
import type { Sliced } from './slices.ts';

/**
 * The rows of a finding, and its groups one after the other as 32-bit numbers: size, number of rows to keep,
 * then the rows, those to keep first.
 */
export interface FoundRows {
  readonly name: string;
  readonly rows: Uint32Array;
  readonly groups?: Uint32Array;
}
/** `excluded`: rows were excluded or restored since; `changed`: cells were. */
export type Staleness = 'fresh' | 'excluded' | 'changed';

type Stored = { id: number; at: number; steps: string; summary: string };

/** Examinations of datasets: the newest one of each. */
export const findingQueries = ({ db }: StoreContext) => {
  const newest = (id: string): Stored | undefined =>
    db
      .prepare<[string], Stored>(
        'select id, at, steps, summary from examinations where dataset_id = ? and visible = 1 order by id desc limit 1',
      )
      .get(id);
  const rowsOf = (examination: number, name: string): Bits => {
    const parts = db
      .prepare<[number, string], { part: number; rows: Buffer }>(
        'select part, rows from finding_rows where examination = ? and name = ? order by part',
      )
      .all(examination, name);
    const bits = new Bits(((parts.at(-1)?.part ?? -1) + 1) * 8192);
    for (const { part, rows } of parts) putPart(bits, part, rows);
    return bits;
  };
  return {
    /** The steps that hold, to be stored with an examination that begins now. */
    steps(id: string): number[] {
      numberOf(db, id);
      refuseWhileChanging(db, id);
      return contentSteps(db, id);
    },

    /** Stores an examination in place of the one before. */
    *put(
      id: string,
      { steps, summary, sets }: { steps: readonly number[]; summary: Findings; sets: readonly FoundRows[] },
    ): Sliced<void> {
      numberOf(db, id);
      const { lastInsertRowid } = db
        .prepare('insert into examinations (dataset_id, at, steps, summary) values (?, ?, ?, ?)')
        .run(id, Date.now(), toJson(steps), toJson(summary));
      const examination = Number(lastInsertRowid);
      try {
        for (const { name, rows, groups } of sets) {
          yield* putRows(db, examination, name, rows);
          if (groups)
            db.prepare('insert into finding_groups values (?, ?, ?)').run(
              examination,
              name,
              Buffer.from(groups.buffer, groups.byteOffset, groups.byteLength),
            );
          yield;
        }
      } catch (error) {
        db.prepare('delete from examinations where id = ?').run(examination);
        throw error;
      }
      db.transaction(() => {
        db.prepare('update examinations set visible = 1 where id = ?').run(examination);
        db.prepare('delete from examinations where dataset_id = ? and id <> ?').run(id, examination);
      })();
    },

    /** The newest examination; null without one. */
    get(id: string): { at: number; stale: Staleness; summary: Findings } | null {
      numberOf(db, id);
      const stored = newest(id);
      if (!stored) return null;
      const { at, steps, summary } = stored;
      const stale = stalenessOf(db, fromJson<number[]>(steps), contentSteps(db, id));
      return { at, stale, summary: fromJson<Findings>(summary) };
    },

    /**
     * The rows of a finding that are not excluded; `rest`: of each group without the first ones, which are kept. Throws
     * `conflict` if cells were changed since, as the finding may not hold.
     */
    target(id: string, name: string, which: 'all' | 'rest'): Pick<Bits, 'size' | 'words' | 'count'> {
      numberOf(db, id);
      const stored = found(newest(id), 'examination', id);
      if (stalenessOf(db, fromJson<number[]>(stored.steps), contentSteps(db, id)) === 'changed')
        throw new WhetstoneError('conflict', 'Rows were changed since this dataset was examined.', {
          where: id,
          hint: 'Examine it again, so that the fix concerns the rows as they are.',
        });
      const excluded = excludedOf(db, id);
      const all = rowsOf(stored.id, name);
      const bits = new Bits(all.size);
      const groups = which === 'rest' ? groupsOf(db, stored.id, name) : null;
      if (!groups) for (const row of all) if (!excluded.has(row)) bits.add(row);
      for (const { rows, keep } of groups ?? [])
        for (const row of rows.filter((each) => !excluded.has(each)).slice(keep)) bits.add(row);
      const { size, words, count } = bits;
      return { size, words, count };
    },
  };
};

function* putRows(db: Db, examination: number, name: string, rows: Uint32Array): Sliced<void> {
  const last = rows.reduce((most, row) => Math.max(most, row), -1);
  const insert = db.prepare('insert into finding_rows values (?, ?, ?, ?)');
  for (const { part, rows: bytes } of partsIn(Bits.of((partOf(last) + 1) * 8192, rows))) {
    insert.run(examination, name, part, bytes);
    yield;
  }
}

interface KeptGroup {
  readonly rows: readonly number[];
  readonly keep: number;
}

function groupsOf(db: Db, examination: number, name: string): KeptGroup[] | null {
  const stored = db
    .prepare<[number, string], Buffer>('select groups from finding_groups where examination = ? and name = ?')
    .pluck()
    .get(examination, name);
  if (!stored) return null;
  const all = new Uint32Array(stored.buffer.slice(stored.byteOffset, stored.byteOffset + stored.length));
  const groups: KeptGroup[] = [];
  for (let at = 0; at < all.length; at += all[at] + 2)
    groups.push({ rows: [...all.subarray(at + 2, at + 2 + all[at])], keep: all[at + 1] });
  return groups;
}

/** The applied steps that change what a row holds or which rows count; tags, flags and notes do neither. */
function contentSteps(db: Db, id: string): number[] {
  const kinds = kindsOf(db, id);
  return stacksOf(db, id).applied.filter((step) => kinds.has(step));
}

const kindsOf = (db: Db, id: string): Map<number, string> =>
  new Map(
    db
      .prepare<[string], { sequence: number; event: string }>(
        `select sequence, event from curation_events where dataset_id = ? and visible = 1
         and event in ('exclude', 'restore', 'split', 'edit', 'add')
         and sequence not in (select event from computed_columns where dataset_id = curation_events.dataset_id)`,
      )
      .all(id)
      .map(({ sequence, event }) => [sequence, event]),
  );

function stalenessOf(db: Db, then: readonly number[], now: readonly number[]): Staleness {
  const [before, after] = [new Set(then), new Set(now)];
  const differing = [...before.symmetricDifference(after)];
  if (differing.length === 0) return 'fresh';
  const kind = db.prepare<[number], string>('select event from curation_events where sequence = ?').pluck();
  const isMark = differing.every((step) => ['exclude', 'restore'].includes(kind.get(step) ?? ''));
  return isMark ? 'excluded' : 'changed';
}
