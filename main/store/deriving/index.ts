import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Dataset } from '../../../preload/contract/datasets.ts';
import type { DatasetState, Recipe } from '../../../preload/contract/deriving.ts';
import { found, type StoreContext } from '../context.ts';
import { refuseWhileChanging } from '../curation/log.ts';
import { StateAt } from '../curation/state.ts';
import { changesOf, newestStep, type Content } from '../curation/versions.ts';
import type { Db } from '../database.ts';
import type { datasetQueries } from '../datasets.ts';
import { fromJson, toJson } from '../json.ts';
import { storePromptRows } from '../prompt-rows.ts';
import { matchingRows, queryOf } from '../rows/search.ts';
import { tableOf } from '../rows/table.ts';
import type { Sliced } from '../slices.ts';
import { cellOf, emptyColumn, refuseUnknown } from './cells.ts';
import { Copying, numberOfAny, type Draws, type Keep, type Parent } from './copying.ts';

/** A state of a dataset whose hash may not be known yet. */
export type OpenState = Omit<DatasetState, 'hash' | 'rows'> & { readonly content: Content | null };
/** Values of a column: `codes[i]` is an index into `values`. */
export interface ColumnValues {
  readonly codes: Uint32Array;
  readonly values: readonly (string | null)[];
}
/** A stored recipe, and its parents as they were. */
export interface StoredRecipe {
  readonly recipe: Recipe;
  readonly parents: readonly DatasetState[];
  readonly hash: string;
  readonly rows: number;
}

/** Most values of a column whose rows are drawn by value. */
const mostValues = 2000;

type Datasets = ReturnType<typeof datasetQueries>;

/** Datasets made from others: sources, copies and recipes. */
export const derivingQueries = ({ db, making, tidy }: StoreContext, datasets: Datasets) => {
  /** Datasets in the making, by id. */
  const copies = new Map<string, Copying>();
  const copyingOf = (id: string): Copying => {
    const known = copies.get(id) ?? new Copying(db, id);
    copies.set(id, known);
    return known;
  };
  const versionWith = (id: string, hash: string): string | null =>
    db
      .prepare<[string, string], string>(
        'select name from dataset_versions where dataset_id = ? and hash = ? order by id desc limit 1',
      )
      .pluck()
      .get(id, hash) ?? null;

  return {
    /** The rows of a dataset as they are, or as they were in a version. Throws `not-found`. */
    state(id: string, version: string | null): OpenState {
      const { name } = datasets.get(id);
      refuseWhileChanging(db, id);
      const saved = version === null ? null : versionNamed(db, id, version);
      const sequence = saved?.sequence ?? newestStep(db, id);
      const content = saved ?? contentAt(db, id, sequence);
      const known = content && { sequence, hash: content.hash, rows: content.rows };
      const shown = version ?? (known && versionWith(id, known.hash));
      return { datasetId: id, name, sequence, version: shown, content: known };
    },

    /** Keeps the hash of a state. Returns the name of a version with the same rows. */
    remember(id: string, { sequence, hash, rows }: Content): string | null {
      db.prepare('insert or ignore into dataset_contents values (?, ?, ?, ?)').run(id, sequence, hash, rows);
      return versionWith(id, hash);
    },

    /**
     * Numbers of the rows that match a query after a step, rising. Only the newest step can be queried.
     * Throws `conflict` if rows are changed meanwhile.
     */
    *select(id: string, sequence: number | null, query: string): Sliced<Uint32Array> {
      refuseWhileChanging(db, id);
      const before = changesOf(db, id);
      const isPresent = sequence === null || sequence === newestStep(db, id);
      if (!isPresent && query.trim() !== '')
        throw new WhetstoneError('conflict', 'The rows were changed while they were read.', {
          where: id,
          hint: 'Try it again.',
        });
      const rows = isPresent ? yield* present(db, id, query) : yield* allAt(db, id, sequence);
      if (isPresent && changesOf(db, id) !== before)
        throw new WhetstoneError('conflict', 'The rows were changed while they were read.', {
          where: id,
          hint: 'Try it again.',
        });
      return rows;
    },

    /** The values of a column in these rows, as they were after a step. */
    *values(id: string, sequence: number, rows: Uint32Array, column: string): Sliced<ColumnValues> {
      refuseWhileChanging(db, id);
      const state = new StateAt(db, id, numberOfAny(db, id), sequence);
      const [cell, codes] = [cellOf(column), new Uint32Array(rows.length)];
      const known = new Map<string | null, number>();
      for (const [at, row] of rows.entries()) {
        const read = state.row(row);
        const value = read && cell(read);
        const code = known.get(value) ?? known.size;
        known.set(value, code);
        if (known.size > mostValues) throw tooManyValues(column);
        codes[at] = code;
        if (at % 100 === 99) yield;
      }
      if (known.size === 1 && known.has(null)) throw emptyColumn(column, yield* extrasAt(db, id, sequence));
      return { codes, values: [...known.keys()] };
    },

    /** Throws `invalid-input` for an extra column that no row had after a step, with those that there were. */
    *refuseUnknown(id: string, sequence: number, columns: readonly string[]): Sliced<void> {
      refuseUnknown(columns, yield* extrasAt(db, id, sequence));
    },

    /** Starts a dataset, which is invisible until `finish`. */
    stage: (name: string, source: string): string => datasets.stage({ name, source }),

    /** Copies rows into a dataset in the making, behind those before. */
    *copy(id: string, parents: readonly Parent[], draws: Draws, keep: Keep): Sliced<void> {
      yield* copyingOf(id).copy(parents, draws, keep);
    },

    /** Stores the rows of each prompt of a copy that is used while it is invisible. */
    *findable(id: string): Sliced<void> {
      yield* storePromptRows(db, id);
    },

    /** Hash and number of the rows copied so far. */
    copied: (id: string): { hash: string; rows: number } => copyingOf(id).content(),

    /** Stores the recipe of a dataset in the making, then completes it. */
    *finish(
      id: string,
      made: { recipe: Recipe; parents: readonly DatasetState[]; why: string; author: string },
    ): Sliced<Dataset> {
      const copying = copyingOf(id);
      const { hash, rows } = copying.content();
      const { recipe, parents, why, author } = made;
      db.transaction(() => {
        db.prepare('insert into dataset_recipes values (?, ?, ?, ?, ?, ?)').run(
          id,
          toJson(recipe),
          hash,
          rows,
          author,
          Date.now(),
        );
        const insert = db.prepare('insert into dataset_parents values (?, ?, ?, ?, ?, ?, ?, ?)');
        for (const [at, p] of parents.entries())
          insert.run(id, at, p.datasetId, p.name, p.sequence, p.version, p.hash, p.rows);
        db.prepare('insert or ignore into dataset_contents values (?, 0, ?, ?)').run(id, hash, rows);
      })();
      const dataset = yield* datasets.finish(id, { hash, doctor: copying.findings(why) });
      copies.delete(id);
      return dataset;
    },

    /** Discards a dataset in the making. */
    discard(id: string): void {
      copies.delete(id);
      if (making.has(id)) datasets.discard(id);
      else tidy();
    },

    /** The recipe of a dataset; null for one that was imported. Throws `not-found`. */
    recipe(id: string): StoredRecipe | null {
      datasets.get(id);
      return recipeOf(db, id);
    },
  };
};

const versionNamed = (db: Db, id: string, name: string): Content =>
  found(
    db
      .prepare<[string, string], Content>(
        'select sequence, hash, rows from dataset_versions where dataset_id = ? and name = ?',
      )
      .get(id, name),
    'version',
    name,
  );

/** The hash of a state, if it is known. */
const contentAt = (db: Db, id: string, sequence: number): Content | null =>
  db
    .prepare<[{ id: string; sequence: number }], Content>(
      'select sequence, hash, rows from dataset_contents where dataset_id = @id and sequence = @sequence union all ' +
        'select sequence, hash, rows from dataset_versions where dataset_id = @id and sequence = @sequence limit 1',
    )
    .get({ id, sequence }) ?? null;

/** Rows that match now. */
function* present(db: Db, id: string, query: string): Sliced<Uint32Array> {
  const table = found((yield* tableOf(db, id)) ?? undefined, 'dataset', id);
  const matching = yield* matchingRows(table, queryOf(query), query);
  return Uint32Array.from(matching);
}

/** The extra columns of the rows as they were after a step. */
function* extrasAt(db: Db, id: string, sequence: number): Sliced<string[]> {
  const names = new Set<string>();
  yield* new StateAt(db, id, numberOfAny(db, id), sequence).each(({ extra }) => {
    if (extra !== null) for (const name of Object.keys(fromJson<object>(extra))) names.add(name);
  });
  return [...names];
}

function* allAt(db: Db, id: string, sequence: number): Sliced<Uint32Array> {
  const rows: number[] = [];
  yield* new StateAt(db, id, numberOfAny(db, id), sequence).each(({ row }) => rows.push(row));
  return Uint32Array.from(rows);
}

const tooManyValues = (column: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `The column '${column}' has more than ${mostValues} values.`, {
    where: column,
    hint: 'Draw by a column with fewer, such as source or mark.',
  });

type ParentRow = {
  parent_id: string;
  name: string;
  sequence: number;
  version: string | null;
  hash: string;
  rows: number;
};

/** The stored recipe of a dataset. */
export function recipeOf(db: Db, id: string): StoredRecipe | null {
  const row = db
    .prepare<[string], { recipe: string; hash: string; rows: number }>(
      'select recipe, hash, rows from dataset_recipes where dataset_id = ?',
    )
    .get(id);
  if (!row) return null;
  const parents = db
    .prepare<[string], ParentRow>('select * from dataset_parents where dataset_id = ? order by position')
    .all(id);
  return {
    recipe: fromJson<Recipe>(row.recipe),
    hash: row.hash,
    rows: row.rows,
    parents: parents.map((p) => ({
      datasetId: p.parent_id,
      name: p.name,
      sequence: p.sequence,
      version: p.version,
      hash: p.hash,
      rows: p.rows,
    })),
  };
}
