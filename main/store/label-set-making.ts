import { WhetstoneError } from '../../engine/common/errors.ts';
import { answersTo, promptsOf, sourceOf, type AnswerSource } from './answer-source.ts';
import { found, type StoreContext } from './context.ts';
import { staged, type Db } from './database.ts';
import { pickPairs, type PairChoice } from './pairing.ts';
import type { Sliced } from './slices.ts';
import { uuid } from './uuid.ts';

export interface SetChoice extends PairChoice {
  readonly name: string;
  readonly from:
    | { readonly kind: 'run'; readonly runId: string }
    | { readonly kind: 'dataset'; readonly datasetId: string };
}

/** Number of pairs per transaction. */
const some = 50;

type Picked = { place: string; a: number; b: number; left_is: 'a' | 'b' };

/**
 * Makes a label set in slices and returns its id. It is invisible until the last pair is stored; a crash or
 * an error before leaves nothing of it.
 */
export function* makeSet({ db, making, tidy }: StoreContext, choice: SetChoice): Sliced<string> {
  const { from, name } = choice;
  const sourceId = from.kind === 'run' ? from.runId : from.datasetId;
  const source = found(
    db
      .prepare<[string], { name: string }>(`select name from ${from.kind}s where id = ? and visible = 1`)
      .get(sourceId),
    from.kind,
    sourceId,
  );
  const id = uuid();
  making.add(id);
  try {
    // insert the set first, so that its source cannot be removed meanwhile
    db.prepare(
      'insert into label_sets (id, name, created_at, seed, run_id, dataset_id, visible) values (?, ?, ?, ?, ?, ?, 0)',
    ).run(
      id,
      name || `Pairs of ${source.name}`,
      Date.now(),
      choice.seed,
      from.kind === 'run' ? sourceId : null,
      from.kind === 'dataset' ? sourceId : null,
    );
    const answers = sourceOf(db, from.kind, sourceId);
    yield* pickAll(db, id, answers, choice);
    const pairs = yield* storePicked(db, id, answers);
    if (pairs === 0) {
      throw new WhetstoneError(
        'invalid-input',
        `'${source.name}' has no two different answers to the same ` +
          `prompt${choice.onlyDiffering ? ', one right and one wrong' : ''}.`,
        {
          where: sourceId,
          hint:
            from.kind === 'run'
              ? 'Sample several answers a prompt first.'
              : 'Choose a dataset with several answers a prompt.',
        },
      );
    }
    db.prepare('update label_sets set visible = 1, pairs = ? where id = ?').run(pairs, id);
    return id;
  } catch (error) {
    // release the source of the failed set
    db.prepare('update label_sets set dataset_id = null, run_id = null where id = ? and visible = 0').run(id);
    throw error;
  } finally {
    // delete the temporary pairs
    making.delete(id);
    tidy();
  }
}

/** Picks pairs, prompt by prompt, into a temporary table, because there may be more than fit in memory. */
function* pickAll(db: Db, setId: string, source: AnswerSource, choice: PairChoice): Sliced<void> {
  const put = db.prepare('insert into picked_pairs values (?, ?, ?, ?, ?)');
  for (const promptId of promptsOf(source)) {
    const answers = yield* answersTo(source, promptId);
    const picked = yield* pickPairs(answers, choice);
    db.transaction(() =>
      picked.forEach(({ order, a, b, leftIs }) =>
        put.run(setId, order, answers.row(a), answers.row(b), leftIs),
      ),
    )();
    yield;
  }
}

/** Stores the picked pairs in their order and returns their number. */
function* storePicked(db: Db, setId: string, source: AnswerSource): Sliced<number> {
  const next = db.prepare<[string, string, number, number, number], Picked>(`
    select place, a, b, left_is from picked_pairs where set_id = ? and (place, a, b) > (?, ?, ?) order by place, a, b limit ?`);
  const insert = db.prepare(source.insertPair);
  let stored = 0;
  for (let last: Picked = { place: '', a: 0, b: 0, left_is: 'a' }; ;) {
    const rows = next.all(setId, last.place, last.a, last.b, some);
    if (rows.length === 0) return stored;
    staged(db, () => {
      for (const { a, b, left_is: leftIs } of rows) {
        insert.run({ id: uuid(), setId, position: stored, leftIs, a, b });
        stored += 1;
      }
    });
    last = rows[rows.length - 1];
    yield;
  }
}

/** Temporary table of picked pairs; ends with the connection, so that a crash leaves none. */
export const temporaryTables = `
create temp table picked_pairs (set_id text not null, place text not null, a integer not null, b integer not null, left_is text not null,
  primary key (set_id, place, a, b)) strict, without rowid`;
