import { createHmac } from 'node:crypto';
import {
  labelMode,
  stepRanges,
  type LabelMode,
  type ModeId,
  type OptionChanges,
  type StepRange,
} from '../../../engine/schema/labeling/index.ts';
import { defaultOptions } from '../../../preload/wire/label-options.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import {
  answersTo,
  promptsOf,
  sourceOf,
  type AnswerSource,
  type SourceAnswer,
  type StoredAnswers,
} from './answer-source.ts';
import { flag, found, type StoreContext } from '../context.ts';
import { pickItems, type ItemChoice } from './item-picking.ts';
import { cellWrites, refuseWhileChanging } from '../curation/log.ts';
import { staged, type Db } from '../database.ts';
import { fromJson } from '../json.ts';
import { pickPairs, type PairChoice } from './pairing.ts';
import type { Sliced } from '../slices.ts';
import { uuid } from '../uuid.ts';

export interface SetChoice extends PairChoice, Partial<Pick<ItemChoice, 'answersPerItem'>> {
  readonly mode?: ModeId;
  readonly options?: OptionChanges;
  readonly name: string;
  /** Exactly these pairs of a dataset's rows, in this order, in the mode `pair`; otherwise pairs are picked. */
  readonly pairs?: readonly (readonly [a: number, b: number])[];
  readonly from:
    | { readonly kind: 'run'; readonly runId: string }
    | { readonly kind: 'dataset'; readonly datasetId: string };
}

/** Number of pairs per transaction. */
const some = 50;

type Picked = { place: string; a: number; b: number; left_is: 'a' | 'b'; answers: string | null };

/**
 * Makes a label set in slices and returns its id. It is invisible until the last pair is stored; a crash or
 * an error before leaves nothing of it. Throws `conflict` if the rows of its dataset are edited meanwhile.
 */
export function* makeSet({ db, making, tidy }: StoreContext, choice: SetChoice): Sliced<string> {
  const { from, name } = choice;
  const mode = labelMode(choice.mode ?? 'pair');
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
      'insert into label_sets (id, name, created_at, seed, run_id, dataset_id, mode, options, visible) ' +
        'values (?, ?, ?, ?, ?, ?, ?, ?, 0)',
    ).run(
      id,
      name || `${mode.title} of ${source.name}`,
      Date.now(),
      choice.seed,
      from.kind === 'run' ? sourceId : null,
      from.kind === 'dataset' ? sourceId : null,
      mode.id,
      JSON.stringify({ ...defaultOptions, ...choice.options }),
    );
    if (from.kind === 'dataset') refuseWhileChanging(db, sourceId);
    const writes = cellWrites(db, sourceId);
    const answers = sourceOf(db, from.kind, sourceId);
    if (choice.pairs) yield* takePairs(db, id, sourceId, choice.pairs, choice.seed);
    else yield* pickAll(db, id, answers, choice, mode);
    const pairs = yield* storePicked(db, id, answers);
    if (cellWrites(db, sourceId) !== writes)
      throw new WhetstoneError('conflict', 'The rows were changed while the label set was made.', {
        where: sourceId,
        hint: 'Make it again.',
      });
    if (pairs === 0) throw nothingToLabel(choice, mode.answers.least, source.name);
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

/** The error for a source that gives no item. `least`: answers that an item needs. */
const nothingToLabel = ({ from, onlyDiffering }: SetChoice, least: number, name: string): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    least === 1
      ? `'${name}' has no answers.`
      : `'${name}' has no two different answers to the same ` +
          `prompt${onlyDiffering ? ', one right and one wrong' : ''}.`,
    {
      where: from.kind === 'run' ? from.runId : from.datasetId,
      hint:
        from.kind === 'run'
          ? 'Sample several answers a prompt first.'
          : 'Choose a dataset with several answers a prompt.',
    },
  );

/** Picks items, prompt by prompt, into a temporary table, because there may be more than fit in memory. */
function* pickAll(
  db: Db,
  setId: string,
  source: AnswerSource,
  choice: SetChoice,
  mode: LabelMode,
): Sliced<void> {
  const put = db.prepare('insert into picked_pairs values (?, ?, ?, ?, ?, ?)');
  for (const promptId of promptsOf(source)) {
    const answers = yield* answersTo(source, promptId);
    const picked = yield* pickOf(answers, choice, mode);
    db.transaction(() =>
      picked.forEach((each) => put.run(setId, each.place, each.a, each.b, each.left_is, each.answers)),
    )();
    yield;
  }
}

/** Puts given pairs of rows into the temporary table; of each, a keyed hash decides which is on the left. */
function* takePairs(
  db: Db,
  setId: string,
  datasetId: string,
  pairs: readonly (readonly [number, number])[],
  seed: number,
): Sliced<void> {
  const put = db.prepare('insert into picked_pairs values (?, ?, ?, ?, ?, null)');
  const rowid = db
    .prepare<[string, number], number>('select rowid from dataset_rows where dataset_id = ? and row = ?')
    .pluck();
  const idOf = (row: number): number => found(rowid.get(datasetId, row), 'row', String(row));
  for (const [at, [a, b]] of pairs.entries()) {
    const place = String(at).padStart(9, '0');
    const bits = createHmac('sha256', String(seed)).update(`side/${setId}/${at}`).digest();
    put.run(setId, place, idOf(a), idOf(b), bits[0] % 2 === 0 ? 'a' : 'b');
    if (at % some === some - 1) yield;
  }
}

function* pickOf(answers: StoredAnswers, choice: SetChoice, mode: LabelMode): Sliced<Picked[]> {
  if (!mode.value)
    return (yield* pickPairs(answers, choice)).map(({ order, a, b, leftIs }) => ({
      place: order,
      a: answers.row(a),
      b: answers.row(b),
      left_is: leftIs,
      answers: null,
    }));
  const items = yield* pickItems(answers, { answersPerItem: 4, ...choice }, mode);
  return items.map((item) => {
    const rows = item.answers.map((at) => answers.row(at));
    return { place: item.order, a: rows[0], b: rows[0], left_is: 'a', answers: JSON.stringify(rows) };
  });
}

/** Stores the picked pairs in their order and returns their number. */
function* storePicked(db: Db, setId: string, source: AnswerSource): Sliced<number> {
  const next = db.prepare<[string, string, number, number, number], Picked>(`
    select place, a, b, left_is, answers from picked_pairs where set_id = ? and (place, a, b) > (?, ?, ?) order by place, a, b limit ?`);
  const insert = db.prepare(source.insertPair);
  const insertItem = itemInserter(db, source);
  let stored = 0;
  for (let last: Picked = { place: '', a: 0, b: 0, left_is: 'a', answers: null }; ;) {
    const rows = next.all(setId, last.place, last.a, last.b, some);
    if (rows.length === 0) return stored;
    staged(db, () => {
      for (const { a, b, left_is: leftIs, answers } of rows) {
        const item = { id: uuid(), setId, position: stored };
        if (answers === null) insert.run({ ...item, leftIs, a, b });
        else insertItem(item, JSON.parse(answers) as number[]);
        stored += 1;
      }
    });
    last = rows[rows.length - 1];
    yield;
  }
}

/** Offsets of the steps in which the file has an answer, if they still make it up. */
function ownSteps(text: string, extra: string | null): { steps?: StepRange[] } {
  const { steps, stepSeparator } = extra === null ? {} : (fromJson(extra) as Record<string, unknown>);
  if (!Array.isArray(steps) || !steps.every((step) => typeof step === 'string')) return {};
  const separators = [typeof stepSeparator === 'string' ? stepSeparator : '\n\n', '\n\n', '\n'];
  const separator = separators.find((each) => steps.join(each) === text);
  return separator === undefined ? {} : { steps: stepRanges({ steps, separator }) };
}

/** Inserts items with a list of answers. Their first two are also in the columns of pairs. */
function itemInserter(db: Db, source: AnswerSource) {
  const insert = db.prepare(`
    insert into pairs (id, set_id, position, prompt_id, prompt, a, b, origin_a, origin_b, correct_a, correct_b, left_is, answers)
    values (:id, :setId, :position, :promptId, :prompt, :a, :b, :originA, :originB, :correctA, :correctB, 'a', :answers)`);
  return (item: { id: string; setId: string; position: number }, rows: readonly number[]): void => {
    const answers = rows.map((row) => source.answer(row)).filter((each) => each !== undefined);
    const [first, second] = answers as [SourceAnswer, SourceAnswer | undefined];
    insert.run({
      ...item,
      promptId: first.prompt_id,
      prompt: first.prompt,
      a: first.text,
      b: second?.text ?? '',
      originA: first.origin,
      originB: second?.origin ?? '',
      correctA: first.correct,
      correctB: second?.correct ?? null,
      answers: JSON.stringify(
        answers.map(({ text, origin, correct, extra }) => ({
          text,
          origin,
          correct: flag(correct),
          ...ownSteps(text, extra),
        })),
      ),
    });
  };
}

/** Temporary table of picked pairs; ends with the connection, so that a crash leaves none. */
export const temporaryTables = `
create temp table picked_pairs (
  set_id text not null, place text not null, a integer not null, b integer not null, left_is text not null,
  answers text,
  primary key (set_id, place, a, b)) strict, without rowid`;
