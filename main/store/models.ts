import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ModelFacts, ModelFile } from '../../engine/schema/messages.ts';
import type { Model } from '../../preload/contract/models.ts';
import { found, mostRows, type StoreContext } from './context.ts';
import { fromJson, toJson } from './json.ts';
import { uuid } from './uuid.ts';

type Row = { id: string; name: string; path: string; hash: string; facts: string; created_at: number };
type StoredFacts = Omit<ModelFacts, 'name' | 'files' | 'adapter'> &
  Partial<Pick<ModelFacts, 'files' | 'adapter'>>;
const parts = (r: Row): { model: Model; files: readonly ModelFile[] } => {
  // models added by earlier versions have no adapter field
  const { files, adapter = null, ...facts } = fromJson<StoredFacts>(r.facts);
  return {
    model: { id: r.id, name: r.name, createdAt: r.created_at, ...facts, adapter },
    files: files ?? [],
  };
};

const fromRow = (r: Row): Model => parts(r).model;

/** Queries of models in folders outside the workspace. Their files are never moved, changed or deleted. */
export const modelQueries = ({ db }: StoreContext) => {
  const find = (id: string): Model | null => {
    const row = db.prepare<[string], Row>('select * from models where id = ?').get(id);
    return row ? fromRow(row) : null;
  };
  const get = (id: string): Model => found(find(id) ?? undefined, 'model', id);

  return {
    find,
    get,
    /** Models, newest first. `before`: only those older than this one. */
    list: (before: string | null = null): Model[] =>
      db
        .prepare<[string | null, string | null, number], Row>(
          `
      select * from models where ? is null or id < ? order by id desc limit ?`,
        )
        .all(before, before, mostRows)
        .map(fromRow),

    /** The files of a model with their hashes. */
    files: (id: string): readonly ModelFile[] =>
      parts(found(db.prepare<[string], Row>('select * from models where id = ?').get(id), 'model', id)).files,

    /** Updates the times of files that were touched without a change of content. */
    setFiles(id: string, files: readonly ModelFile[]): void {
      db.prepare("update models set facts = json_set(facts, '$.files', json(?)) where id = ?").run(
        toJson(files),
        id,
      );
    },

    /**
     * Adds a model. A folder added again keeps its id and is described again; with other files it is a new
     * model.
     */
    add: db.transaction(({ name, ...facts }: ModelFacts): Model => {
      const now = Date.now();
      db.prepare(
        `insert into models values (?, ?, ?, ?, ?, ?)
        on conflict (path, hash) do update set facts = excluded.facts`,
      ).run(uuid(now), name, facts.folder, facts.hash, toJson(facts), now);
      return fromRow(
        found(
          db
            .prepare<[string, string], Row>('select * from models where path = ? and hash = ?')
            .get(facts.folder, facts.hash),
          'model',
          facts.folder,
        ),
      );
    }),

    rename(id: string, name: string): void {
      get(id);
      db.prepare('update models set name = ? where id = ?').run(name, id);
    },

    /** Removes a model; its folder remains. */
    remove(id: string): void {
      get(id);
      const user = db
        .prepare<[string], { name: string }>(
          "select r.name from run_inputs i join runs r on r.id = i.run_id where i.kind = 'model' and i.ref = ? limit 1",
        )
        .get(id);
      if (user)
        throw new WhetstoneError('conflict', `'${user.name}' was made from this model.`, {
          where: id,
          hint: 'Remove that run first, or keep the model.',
        });
      db.prepare('delete from models where id = ?').run(id);
    },
  };
};
