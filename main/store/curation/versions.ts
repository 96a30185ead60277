import { createHash } from 'node:crypto';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { DatasetVersion, VersionDifference } from '../../../preload/contract/versions.ts';
import { heldColumns } from '../rows/computed.ts';
import { found, type StoreContext } from '../context.ts';
import type { Db } from '../database.ts';
import { canonicalJson } from '../json.ts';
import { Bits } from '../rows/bits.ts';
import type { Sliced } from '../slices.ts';
import { uuid } from '../uuid.ts';
import { cellWrites, numberOf, refuseWhileChanging, stacksOf } from './log.ts';
import { StateAt, type VersionRow } from './state.ts';

type Stored = {
  id: string;
  dataset_id: string;
  name: string;
  sequence: number;
  hash: string;
  rows: number;
  author: string;
  created_at: number;
  file: string;
};
/** The rows of a version, identified by what they hold. */
export interface Content {
  readonly sequence: number;
  readonly hash: string;
  readonly rows: number;
}
interface Difference {
  added: number;
  removed: number;
  changed: number;
  rows: VersionDifference[];
}

/** Most differing rows in an answer. */
const mostDifferences = 500;

const select =
  'select v.*, d.hash file from dataset_versions v join datasets d on d.id = v.dataset_id and d.visible = 1 ' +
  'where v.dataset_id = ?';

/** Versions of datasets: saved, listed, rebuilt from their recipe, and compared. */
export const versionQueries = ({ db }: StoreContext) => {
  const shown = (v: Stored): DatasetVersion => {
    const steps = stacksOf(db, v.dataset_id, v.sequence).applied;
    const columns = heldColumns(db, v.dataset_id, steps).map(({ event, name, definition }) => ({
      event,
      name,
      definition,
    }));
    return {
      id: v.id,
      datasetId: v.dataset_id,
      name: v.name,
      sequence: v.sequence,
      hash: v.hash,
      rows: v.rows,
      author: v.author,
      createdAt: v.created_at,
      recipe: { file: v.file, steps, ...(columns.length > 0 && { columns }) },
    };
  };
  const named = (id: string, name: string): Stored =>
    found(db.prepare<[string, string], Stored>(`${select} and v.name = ?`).get(id, name), 'version', name);

  return {
    /**
     * The content of the rows as they were after a step; null: as they are now. Throws `conflict` if they are
     * changed meanwhile, also if the change is taken back.
     */
    *content(id: string, sequence: number | null): Sliced<Content> {
      const number = numberOf(db, id);
      refuseWhileChanging(db, id);
      const before = changesOf(db, id);
      const at = sequence ?? newestStep(db, id);
      const digest = createHash('sha256');
      let rows = 0;
      yield* new StateAt(db, id, number, at).each((row) => {
        digest.update(`${canonicalJson(canonical(row))}\n`);
        rows += 1;
      });
      if (changesOf(db, id) !== before)
        throw new WhetstoneError('conflict', 'The rows were changed while they were read.', {
          where: id,
          hint: 'Try it again.',
        });
      return { sequence: at, hash: digest.digest('hex'), rows };
    },

    /** Saves a version of this content. Throws `conflict` if the name is taken, or rows have changed since. */
    save(id: string, name: string, { sequence, hash, rows }: Content, author: string): DatasetVersion {
      refuseWhileChanging(db, id);
      const refused = (what: string, hint: string): WhetstoneError =>
        new WhetstoneError('conflict', what, { where: name, hint });
      if (newestStep(db, id) !== sequence)
        throw refused('The rows have changed while the version was made.', 'Save it again.');
      if (db.prepare('select 1 from dataset_versions where dataset_id = ? and name = ?').get(id, name))
        throw refused(
          `There is a version '${name}' of this dataset.`,
          'Versions do not change: use another name.',
        );
      db.prepare('insert into dataset_versions values (?, ?, ?, ?, ?, ?, ?, ?)').run(
        uuid(),
        id,
        name,
        sequence,
        hash,
        rows,
        author,
        Date.now(),
      );
      return shown(named(id, name));
    },

    get: (id: string, name: string): DatasetVersion => shown(named(id, name)),

    /** The versions of a dataset, newest first, at most 1,000. */
    list(id: string): DatasetVersion[] {
      numberOf(db, id);
      return db.prepare<[string], Stored>(`${select} order by v.id desc limit 1000`).all(id).map(shown);
    },

    /** The differences of two versions; without `to`, from the rows as they are now. */
    *diff(id: string, from: string, to: string | null, offset: number): Sliced<Difference> {
      const number = numberOf(db, id);
      const [a, b] = [from, to].map(
        (name) => new StateAt(db, id, number, name === null ? Infinity : named(id, name).sequence),
      );
      const touched = new Bits(Math.max(a.size, b.size)).or(a.touched).or(b.touched);
      const difference: Difference = { added: 0, removed: 0, changed: 0, rows: [] };
      let seen = 0;
      for (const row of touched) {
        const each = differenceOf(row, a.row(row), b.row(row));
        if (each) {
          difference[each.change] += 1;
          if (seen >= offset && difference.rows.length < mostDifferences) difference.rows.push(each);
          seen += 1;
        }
        yield;
      }
      return difference;
    },
  };
};

/** The newest step of a dataset; 0 without any. */
export const newestStep = (db: Db, id: string): number =>
  db
    .prepare<[string], number | null>(
      'select max(sequence) from curation_events where dataset_id = ? and visible = 1',
    )
    .pluck()
    .get(id) ?? 0;

/** Changes with each step, and with each write to a cell that is taken back. */
export const changesOf = (db: Db, id: string): string => `${newestStep(db, id)}/${cellWrites(db, id)}`;

/** A row as it is hashed: its extra columns are in the order of their names, whatever edits have added them. */
export const canonical = (row: VersionRow): VersionRow =>
  row.extra === null ? row : { ...row, extra: canonicalJson(JSON.parse(row.extra)) };

const cellsOf = ({ marks, ...row }: VersionRow): Readonly<Record<string, unknown>> => ({
  ...canonical({ ...row, marks }),
  marks: marks.length > 0 ? marks.join(', ') : null,
});
const textOf = (value: unknown): string | null => (value === null ? null : String(value));
/** Columns that follow from others. */
const derived = ['prompt_id', 'row'];

function differenceOf(row: number, a: VersionRow | null, b: VersionRow | null): VersionDifference | null {
  if (!a || !b) return a || b ? { row, change: b ? 'added' : 'removed', cells: [] } : null;
  const [before, after] = [cellsOf(a), cellsOf(b)];
  const cells = Object.keys(before)
    .filter((field) => before[field] !== after[field] && !derived.includes(field))
    .map((field) => ({ field, before: textOf(before[field]), after: textOf(after[field]) }));
  return cells.length > 0 ? { row, change: 'changed', cells } : null;
}
