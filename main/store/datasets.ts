import { basename } from 'node:path';
import type { Message } from '../../engine/schema/conversation.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Demonstration } from '../../engine/schema/preference.ts';
import type { Dataset, DatasetRow, Doctor, Rejected } from '../../preload/contract/datasets.ts';
import { computedReader } from './rows/computed-reader.ts';
import { fitting, flag, found, mostRows, type StoreContext } from './context.ts';
import { refuseWhileChanging } from './curation/log.ts';
import { checkpointPages, staged, type Db } from './database.ts';
import { preferencesOf } from './dataset-pairs.ts';
import { rowColumns, stepMarksOf, stored, storedLength, type StoredRow } from './dataset-row.ts';
import { artifactInSlices, inParts, jsonLines, type Artifact } from './files.ts';
import { fromJson, toJson } from './json.ts';
import { boundColumns, boundValues, packedParts, type PackedRows } from './packed-rows.ts';
import { PromptRows, storePromptRows } from './prompt-rows.ts';
import { matchingRows, type RowSearch } from './row-search.ts';
import { allRows, sidesOf, type RunParts, type Side } from './sides.ts';
import type { Sliced } from './slices.ts';
import { uuid } from './uuid.ts';

type Facts = {
  id: string;
  name: string;
  source: string;
  hash: string;
  created_at: number;
  rows: number;
  doctor: string;
  curated: 0 | 1;
  /** Names of its saved versions and of its splits' parts, as JSON lists. */
  versions: string;
  parts: string;
};
/** Defaults of facts that earlier versions did not collect. */
const unknown = { references: 0, verifier: null, columns: [] };
const fromFacts = (r: Facts): Dataset => ({
  id: r.id,
  name: r.name,
  source: r.source,
  hash: r.hash,
  createdAt: r.created_at,
  rows: r.rows,
  doctor: { ...unknown, ...fromJson<Doctor>(r.doctor) },
  ...(r.curated === 1 && { curated: true }),
  ...(r.versions !== '[]' && { versions: fromJson<string[]>(r.versions) }),
  ...(r.parts !== '[]' && { parts: fromJson<string[]>(r.parts) }),
});
const selectFacts = `
  select d.*, exists (select 1 from curation_events where dataset_id = d.id and visible = 1) curated,
    (select json_group_array(name) from (select name from dataset_versions where dataset_id = d.id order by id desc)) versions,
    (select json_group_array(part) from (select distinct substr(m.name, 7) part from dataset_numbers n
      join row_marks m on m.number = n.number and m.name glob 'split:*' where n.dataset_id = d.id order by part)) parts
  from datasets d`;
/** Most packed rows, and about the most bytes, in one transaction of a few milliseconds. */
const mostPacked = { rows: 800, bytes: 1_000_000 };

/** Appends rows to datasets in the making; `collected` gets the rows of each prompt. */
const appending = (db: Db, collected: ReadonlyMap<string, PromptRows>) => {
  const insertRow = db.prepare(
    `insert into dataset_rows (dataset_id, ${rowColumns}) values (@dataset, ${rowColumns.replaceAll(/\w+/g, '@$&')})`,
  );
  const insertPacked = db.prepare(
    `insert into dataset_rows (dataset_id, ${boundColumns}) values (?, ${boundValues})`,
  );
  const insertRejected = db.prepare('insert into dataset_rejected values (?, ?, ?, ?)');
  const counted = db.prepare('update datasets set rows = rows + ? where id = ? and visible = 0');
  return {
    *append(id: string, rows: readonly DatasetRow[], rejected: readonly Rejected[]): Sliced<void> {
      for (const part of inParts(rows.map(stored), storedLength)) {
        staged(db, () => {
          isStaged(counted.run(part.length, id).changes > 0, id);
          for (const r of part) insertRow.run({ ...r, dataset: id });
        });
        for (const r of part) collected.get(id)?.add(r.prompt_id, r.row);
        yield;
      }
      for (const part of inParts(rejected, (r) => r.text.length)) {
        staged(db, () => {
          isStaged(counted.run(0, id).changes > 0, id);
          for (const r of part) insertRejected.run(id, r.line, r.reason, r.text);
        });
        yield;
      }
    },

    /** Appends rows of `packRows`. */
    *appendPacked(id: string, packed: PackedRows): Sliced<void> {
      for (const part of packedParts(packed, mostPacked)) {
        staged(db, () => {
          isStaged(counted.run(part.length, id).changes > 0, id);
          for (const row of part) insertPacked.run(id, ...row);
        });
        collected.get(id)?.addPacked(part);
        yield;
      }
    },
  };
};

export const datasetQueries = ({ db, folder, making, tidy }: StoreContext) => {
  const staging = db
    .prepare<[string], number>('select rows from datasets where id = ? and visible = 0')
    .pluck();
  const hide = db.prepare('update datasets set visible = 0 where id = ?');
  /** The rows of each prompt of the datasets in the making. */
  const collected = new Map<string, PromptRows>();
  /** Ends an import. */
  const settle = (id: string): void => {
    making.delete(id);
    collected.delete(id);
    if (making.size === 0) db.pragma(`wal_autocheckpoint = ${checkpointPages.usual}`);
    tidy();
  };
  const get = (id: string): Dataset =>
    fromFacts(
      found(
        db.prepare<[string], Facts>(`${selectFacts} where id = ? and visible = 1`).get(id),
        'dataset',
        id,
      ),
    );

  return {
    get,
    /** Datasets, newest first. `before`: only those older than this one. */
    list: (before: string | null = null): Dataset[] =>
      db
        .prepare<[string | null, string | null, number], Facts>(
          `
      ${selectFacts} where visible = 1 and (? is null or id < ?) order by id desc limit ?`,
        )
        .all(before, before, mostRows)
        .map(fromFacts),

    /** Starts an import; the dataset is invisible until `finish`. */
    stage({ name, source }: { name: string; source: string }): string {
      const id = uuid();
      db.prepare("insert into datasets values (?, ?, ?, '', ?, 0, '', 0)").run(id, name, source, Date.now());
      making.add(id);
      collected.set(id, new PromptRows());
      db.pragma(`wal_autocheckpoint = ${checkpointPages.importing}`);
      return id;
    },

    ...appending(db, collected),

    /** Makes a staged dataset visible, after its rows are found by their prompts. */
    *finish(id: string, { hash, doctor }: { hash: string; doctor: Doctor }): Sliced<Dataset> {
      const rows = staging.get(id);
      isStaged(rows !== undefined, id);
      const known = collected.get(id);
      yield* known && known.rows === rows ? known.store(db, id) : storePromptRows(db, id);
      isStaged(
        db
          .prepare('update datasets set visible = 1, hash = ?, doctor = ? where id = ? and visible = 0')
          .run(hash, toJson(doctor), id).changes > 0,
        id,
      );
      settle(id);
      return get(id);
    },

    /** Discards a failed import. */
    discard(id: string): void {
      settle(id);
    },

    *rows(search: RowSearch): Sliced<{ total: number; rows: DatasetRow[] }> {
      const { id } = search;
      get(id);
      const { total, page } = yield* matchingRows(db, search);
      const computed = computedReader(db, id);
      const rows = db.prepare<[string, string], StoredRow>(
        `select ${rowColumns} from dataset_rows where dataset_id = ? and row in (select value from ` +
          'json_each(?)) order by row',
      );
      return {
        total,
        rows: fitting(rows.iterate(id, JSON.stringify(page)), storedLength).map((row) => computed.row(row)),
      };
    },

    /** Answers to one prompt, in file order. */
    prompt(id: string, promptId: string, offset = 0): DatasetRow[] {
      get(id);
      const computed = computedReader(db, id);
      return fitting(
        db
          .prepare<[string, string, number, number], StoredRow>(
            `
        select ${rowColumns} from rows_by_prompt where dataset_id = ? and prompt_id = ? order by row limit ? offset ?`,
          )
          .iterate(id, promptId, mostRows, offset),
        storedLength,
      ).map((row) => computed.row(row));
    },

    rejected(id: string, offset = 0): Rejected[] {
      get(id);
      return fitting(
        db
          .prepare<[string, number, number], Rejected>(
            `
        select line, reason, text from dataset_rejected where dataset_id = ? order by line limit ? offset ?`,
          )
          .iterate(id, mostRows, offset),
        (r) => r.text.length,
      );
    },

    rename(id: string, name: string): void {
      get(id);
      db.prepare('update datasets set name = ? where id = ?').run(name, id);
    },

    remove(id: string): void {
      get(id);
      const user = db
        .prepare<[string, string], { name: string }>(
          `
        select name from label_sets where dataset_id = ?
        union all select r.name from run_inputs i join runs r on r.id = i.run_id where i.kind = 'dataset' and i.ref = ? limit 1`,
        )
        .get(id, id);
      if (user)
        throw new WhetstoneError('conflict', `'${user.name}' was made from this dataset.`, {
          where: id,
          hint: 'Remove that first, or keep the dataset.',
        });
      hide.run(id);
      tidy();
    },

    /**
     * Exports the rows that are not excluded as `Demonstration` lines for the engine. Throws `conflict` while
     * a change of the rows is not finished. `parts`: only those of a split, each line with its side. `id` may
     * be a copy of a version, which is invisible.
     */
    *exportDemonstrations(id: string, parts: RunParts = allRows): Sliced<Artifact> {
      const source = sourceOf(db, id);
      refuseWhileChanging(db, id);
      const sideOf = sidesOf(db, id, parts);
      const rows = db
        .prepare<[string], StoredRow>(
          `select ${rowColumns} from dataset_rows where dataset_id = ? order by row`,
        )
        .iterate(id);
      return yield* artifactInSlices(
        folder,
        'exports',
        '.jsonl',
        jsonLines(
          Iterator.from(rows)
            .filter(({ row }) => sideOf(row) !== null)
            .map((r): Demonstration => ({
              promptId: r.prompt_id,
              prompt: r.prompt,
              answer: r.answer,
              reference: r.reference,
              correct: flag(r.correct),
              ...stepMarksOf(r),
              ...(r.messages !== null && {
                messages: fromJson<Message[]>(r.messages),
                where: `${basename(source)}:${r.line}`,
              }),
              ...splitOfSide(sideOf(r.row)),
            })),
        ),
      );
    },

    /**
     * Exports pairs of a right and a wrong answer to the same prompt as `Preference` lines. Throws `conflict`
     * while a change of the rows is not finished. `parts`: only pairs of rows of the same side.
     */
    *exportPreferences(id: string, parts: RunParts = allRows): Sliced<Artifact> {
      sourceOf(db, id);
      refuseWhileChanging(db, id);
      const pairs = preferencesOf(db, id, sidesOf(db, id, parts));
      const { done, value: first } = pairs.next();
      if (done) {
        throw new WhetstoneError(
          'invalid-input',
          'This dataset has no prompt with both a right and a wrong answer, so it gives no preference pairs.',
          {
            where: id,
            hint: 'Label pairs of it on the Label screen, or import answers marked right or wrong.',
          },
        );
      }
      return yield* artifactInSlices(
        folder,
        'exports',
        '.jsonl',
        jsonLines(
          (function* () {
            yield first;
            yield* pairs;
          })(),
        ),
      );
    },
  };
};

/** The file of a dataset, also of a copy in the making, which has no hash yet. Throws `not-found`. */
const sourceOf = (db: Db, id: string): string =>
  found(
    db
      .prepare<[string], string>("select source from datasets where id = ? and (visible = 1 or hash = '')")
      .pluck()
      .get(id),
    'dataset',
    id,
  );

const splitOfSide = (side: Side | null): Pick<Demonstration, 'split'> =>
  side === 'train' || side === 'heldout' ? { split: side } : {};

/**
 * Throws if a running import's rows were deleted, because the store restarted or the workspace was closed.
 */
function isStaged(isThere: boolean, id: string): void {
  if (isThere) return;
  throw new WhetstoneError('not-found', 'The import was interrupted, and its rows were deleted.', {
    where: id,
    hint: 'Import the file again.',
  });
}
