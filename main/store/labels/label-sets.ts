import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Preference, Verdict } from '../../../engine/schema/preference.ts';
import type { LabelSet } from '../../../preload/contract/labels.ts';
import { fitting, flag, found, mostRows, type StoreContext } from '../context.ts';
import { artifactInSlices, jsonLines, type Artifact } from '../files.ts';
import { impliedCounter, impliedPreferences, someImplied } from './implied-pairs.ts';
import { optionsFrom } from './label-items.ts';
import { ModeId, type OptionChanges } from '../../../engine/schema/labeling/index.ts';
import { makeSet, type SetChoice } from './label-set-making.ts';
import type { Sliced } from '../slices.ts';

type SetRow = {
  id: string;
  name: string;
  created_at: number;
  run_id: string | null;
  dataset_id: string | null;
  pairs: number;
  labeled: number;
  decided: number;
  mode: string;
  options: string;
};
export type PairRow = {
  position: number;
  id: string;
  prompt_id: string;
  prompt: string;
  a: string;
  b: string;
  correct_a: number | null;
  correct_b: number | null;
  verdict: Verdict | null;
  weight: number | null;
  strength: number | null;
};

export type PairFacts = Omit<Preference, 'verdict'> & { verdict: Verdict | null };
const fromSet = (r: SetRow): LabelSet => ({
  id: r.id,
  name: r.name,
  createdAt: r.created_at,
  source: r.run_id ? `run:${r.run_id}` : `dataset:${r.dataset_id}`,
  pairs: r.pairs,
  labeled: r.labeled,
  decided: r.decided,
  mode: ModeId.parse(r.mode),
  options: optionsFrom(r.options),
});
const lengthOf = (r: PairRow): number => r.prompt.length + r.a.length + r.b.length;
const fromPair = (r: PairRow): PairFacts => ({
  pairId: r.id,
  promptId: r.prompt_id,
  prompt: r.prompt,
  a: r.a,
  b: r.b,
  verdict: r.verdict,
  correctA: flag(r.correct_a),
  correctB: flag(r.correct_b),
  ...trustOf(r),
});

/** Weight and strength of the label that counts, where they are known. */
export const trustOf = ({ weight, strength }: Pick<PairRow, 'weight' | 'strength'>) => ({
  ...(weight !== null && { weight }),
  ...(strength !== null && { strength }),
});

/**
 * Of a pair `p` with the event `e` that counts: the probability of its verdict, 1 if it was adjudicated, and
 * the strength that was given.
 */
export const trustColumns = `coalesce(
    (select 1.0 from adjudications j where j.pair_id = p.id),
    (select json_extract(r.posterior, '$."' || p.verdict || '"') from pair_reliabilities r where r.pair_id = p.id)
  ) weight, iif(p.verdict in ('a', 'b'), json_extract(e.details, '$.strength'), null) strength`;

const selectPairs = `select p.id, p.position, p.prompt_id, p.prompt, p.a, p.b, p.correct_a, p.correct_b, p.verdict,
  ${trustColumns} from pairs p left join label_events e on e.sequence = p.verdict_sequence`;

/** Queries of label sets: pairs to label. */
export const labelSetQueries = (context: StoreContext) => {
  const { db, folder, tidy } = context;
  const impliedBy = impliedCounter(db);
  const get = (id: string): LabelSet =>
    fromSet(
      found(
        db.prepare<[string], SetRow>('select * from label_sets where id = ? and visible = 1').get(id),
        'label set',
        id,
      ),
    );

  const counted = (set: LabelSet): LabelSet =>
    set.mode === undefined || set.mode === 'pair' ? set : { ...set, implied: impliedBy(set.id, set.mode) };

  return {
    get,
    /** Label sets, newest first, with the pairs that they imply. `before`: only those older than this one. */
    list: (before: string | null = null): LabelSet[] =>
      db
        .prepare<[string | null, string | null, number], SetRow>(
          `
      select * from label_sets where visible = 1 and (? is null or id < ?) order by id desc limit ?`,
        )
        .all(before, before, mostRows)
        .map((row) => counted(fromSet(row))),

    *create(choice: SetChoice): Sliced<LabelSet> {
      return get(yield* makeSet(context, choice));
    },

    rename(id: string, name: string): void {
      get(id);
      db.prepare('update label_sets set name = ? where id = ?').run(name, id);
    },

    /** Changes some options; the others keep their values. */
    setOptions(id: string, options: OptionChanges): LabelSet {
      const merged = { ...get(id).options, ...options };
      db.prepare('update label_sets set options = ? where id = ?').run(JSON.stringify(merged), id);
      return get(id);
    },

    remove(id: string): void {
      get(id);
      const user = db
        .prepare<[string], { name: string }>(
          "select r.name from run_inputs i join runs r on r.id = i.run_id where i.kind = 'label-set' and " +
            'i.ref = ? limit 1',
        )
        .get(id);
      if (user)
        throw new WhetstoneError('conflict', `The run '${user.name}' was made from these labels.`, {
          where: id,
          hint: 'Remove that run first, or keep the labels.',
        });
      // release its source at once
      db.prepare('update label_sets set visible = 0, dataset_id = null, run_id = null where id = ?').run(id);
      tidy();
    },

    pairs(id: string, offset: number, limit: number): { total: number; pairs: PairFacts[] } {
      const { pairs: total } = get(id);
      // positions count from 0 without gaps
      const rows = db
        .prepare<[string, number, number], PairRow>(
          `${selectPairs} where p.set_id = ? and p.position >= ? order by p.position limit ?`,
        )
        .iterate(id, offset, limit);
      return { total, pairs: fitting(rows, lengthOf).map(fromPair) };
    },

    /**
     * A page of labeled pairs as `Preference` values, for the user's export. `next`: the start of the
     * following page; null at the end.
     */
    labeled(id: string, after: number | null = null): { pairs: PairFacts[]; next: number | null } {
      const { mode = 'pair' } = get(id);
      if (mode !== 'pair') return { pairs: [...impliedPreferences(db, id, mode)], next: null };
      const rows = fitting(
        db
          .prepare<[string, number, number], PairRow>(
            `
        ${selectPairs} where p.set_id = ? and p.verdict is not null and p.position > ? order by p.position limit ?`,
          )
          .iterate(id, after ?? -1, mostRows),
        lengthOf,
      );
      return { pairs: rows.map(fromPair), next: rows.at(-1)?.position ?? null };
    },

    /**
     * Exports all labels as an artifact for the engine. Throws `invalid-input` if no label prefers a side,
     * because there is nothing to learn.
     */
    *exportPreferences(id: string): Sliced<Artifact> {
      const { name, decided, labeled, mode = 'pair' } = get(id);
      if (labeled === 0)
        throw new WhetstoneError('invalid-input', 'No pair of this label set is labeled yet.', {
          where: id,
          hint: 'Decide some pairs on the Label screen first.',
        });
      if (decided === 0) {
        throw new WhetstoneError(
          'invalid-input',
          `None of the ${labeled} labels of '${name}' prefers an answer: all are ties, “both bad” or ` +
            'skipped, so there is nothing to learn.',
          { where: id, hint: 'Decide for one side in some pairs on the Label screen first.' },
        );
      }
      if (mode !== 'pair')
        return yield* artifactInSlices(folder, 'exports', '.jsonl', jsonLines(someImplied(db, id, mode)));
      const rows = db
        .prepare<[string], PairRow>(
          `${selectPairs} where p.set_id = ? and p.verdict is not null order by p.position`,
        )
        .iterate(id);
      return yield* artifactInSlices(
        folder,
        'exports',
        '.jsonl',
        jsonLines(Iterator.from(rows).map(fromPair)),
      );
    },
  };
};
