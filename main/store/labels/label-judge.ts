import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { HeadWeights, HeldoutAccuracy } from '../../../engine/schema/judge.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import { JudgeChanges, type JudgeFitFacts, type JudgeSettings } from '../../../preload/contract/judge.ts';
import { defaultJudge } from '../../../preload/wire/judge.ts';
import { found, mostRows, type StoreContext } from '../context.ts';
import { readHead, storedHead } from '../judge-heads.ts';

/** Features of `count` pairs from position `first` on. */
export interface FeatureFile {
  readonly first: number;
  readonly count: number;
  readonly width: number;
  readonly tooLong: number;
  /** Relative to the workspace. */
  readonly path: string;
}
export interface StoredFit extends HeadWeights {
  /** The newest event of the set when its labels were read. */
  readonly sequence: number;
  readonly labels: number;
  readonly leftOut: number;
  readonly heldout: HeldoutAccuracy | null;
  readonly curve: readonly HeldoutAccuracy[];
}
export interface Opinion {
  readonly pairId: string;
  /** The label that the pair had. */
  readonly sequence: number;
  readonly verdict: Verdict;
  /** P(a). */
  readonly probability: number;
}
export interface StoredOrder {
  /** Settings that it depends on. */
  readonly settings: string;
  /** The newest event of the set when it was ordered, and of the fit that it used. */
  readonly sequence: number;
  readonly fitSequence: number | null;
  /** Unlabeled items among which it chose. */
  readonly candidates: number;
}
export interface LabelRow {
  readonly pair_id: string;
  readonly position: number;
  readonly prompt_id: string;
  readonly verdict: Verdict;
  readonly sequence: number;
}

type SetRow = { mode: string; judge: string; pairs: number; labeled: number; decided: number; seed: number };
type FitRow = {
  sequence: number;
  labels: number;
  left_out: number;
  accuracy: number | null;
  low: number;
  high: number;
  at: number;
  curve: string;
};
type OrderRow = {
  settings: string;
  sequence: number;
  fit_sequence: number | null;
  candidates: number;
  at: number;
};

/** Most opinions, and most places of an order, stored at once: a decision waits no longer than that. */
export const mostStored = 1000;
/** Fits that a history shows. */
const HISTORY = 100;

const factsOf = (row: FitRow): JudgeFitFacts => ({
  labels: row.labels,
  accuracy: row.accuracy,
  interval: row.accuracy === null ? null : [row.low, row.high],
  at: row.at,
  leftOut: row.left_out,
  curve: JSON.parse(row.curve) as JudgeFitFacts['curve'],
});

function refuseTooMany(count: number): void {
  if (count > mostStored)
    throw new WhetstoneError('internal', `${count} rows cannot be stored at once, at most ${mostStored}.`);
}

/** What the judge of a label set knows: settings, features, fits, opinions, the order of the queue. */
export const labelJudgeQueries = ({ db }: StoreContext) => {
  const setOf = (id: string): SetRow =>
    found(
      db
        .prepare<[string], SetRow>(
          'select mode, judge, pairs, labeled, decided, seed from label_sets where id = ? and visible = 1',
        )
        .get(id),
      'label set',
      id,
    );
  const settings = (id: string): JudgeSettings => ({
    ...defaultJudge,
    ...JudgeChanges.parse(JSON.parse(setOf(id).judge)),
  });
  /** Labels newer than an event; counts up to the most that matters. */
  const newer = (id: string, sequence: number): number =>
    db
      .prepare<[string, number, number], { count: number }>(
        'select count(*) count from (select 1 from labeler_labels where set_id = ? and sequence > ? limit ?)',
      )
      .get(id, sequence, mostStored)?.count ?? 0;
  const newestEvent = (id: string): number =>
    db
      .prepare<[string], { sequence: number | null }>(
        'select max(sequence) sequence from label_events where set_id = ?',
      )
      .get(id)?.sequence ?? 0;

  return {
    settings,

    setSettings(id: string, changes: JudgeChanges): JudgeSettings {
      const merged = { ...settings(id), ...changes };
      db.prepare('update label_sets set judge = ? where id = ?').run(JSON.stringify(merged), id);
      return merged;
    },

    /** What determines the work that is due. `source`: the features that the judge learns from. */
    state(id: string, source: string) {
      const { mode, pairs, labeled, decided, seed } = setOf(id);
      const fit = db
        .prepare<[string, string], FitRow & { has_head: number }>(
          'select sequence, labels, left_out, accuracy, low, high, at, curve, head is not null has_head from judge_fits ' +
            'where set_id = ? and source = ? order by sequence desc limit 1',
        )
        .get(id, source);
      const order = db.prepare<[string], OrderRow>('select * from judge_orders where set_id = ?').get(id);
      return {
        ...{ mode, pairs, labeled, decided, seed },
        settings: settings(id),
        sequence: newestEvent(id),
        fit: fit
          ? {
              ...factsOf(fit),
              sequence: fit.sequence,
              hasHead: fit.has_head === 1,
              newLabels: newer(id, fit.sequence),
            }
          : null,
        order: order
          ? {
              settings: order.settings,
              fitSequence: order.fit_sequence,
              candidates: order.candidates,
              at: order.at,
              newLabels: newer(id, order.sequence),
            }
          : null,
      };
    },

    /** The newest fits of a source with their accuracy, oldest first. */
    history: (id: string, source: string) =>
      db
        .prepare<[string, string, number], FitRow & { accuracy: number }>(
          'select labels, accuracy, low, high, at from judge_fits where set_id = ? and source = ? and ' +
            'accuracy is not null order by sequence desc limit ?',
        )
        .all(id, source, HISTORY)
        .reverse()
        .map(({ labels, accuracy, low, high, at }) => ({
          labels,
          accuracy,
          interval: [low, high] as [number, number],
          at,
        })),

    /** A page of the files of a source's features, by position. */
    features: (id: string, source: string, after: number): FeatureFile[] =>
      db
        .prepare<[string, string, number, number], FeatureFile>(
          'select first, count, width, too_long tooLong, path from judge_features ' +
            'where set_id = ? and source = ? and first > ? order by first limit ?',
        )
        .all(id, source, after, mostRows),

    addFeatures(id: string, source: string, { first, count, width, tooLong, path }: FeatureFile): void {
      setOf(id);
      db.prepare('insert or replace into judge_features values (?, ?, ?, ?, ?, ?, ?)').run(
        id,
        source,
        first,
        count,
        width,
        tooLong,
        path,
      );
    },

    /** A page of the current labels of a set, by their events; `upTo`: the newest event that counts. */
    labels: (id: string, after: number, upTo: number): LabelRow[] =>
      db
        .prepare<[string, number, number, number], LabelRow>(
          // the verdict is read from the log: in a row of pairs it lies behind the texts
          `select p.id pair_id, p.position, p.prompt_id, e.verdict, e.sequence
          from pairs p indexed by pairs_by_verdict join label_events e on e.sequence = p.verdict_sequence
          where p.set_id = ? and p.verdict is not null and p.verdict_sequence > ? and p.verdict_sequence <= ?
          order by p.verdict_sequence limit ?`,
        )
        .all(id, after, upTo, mostRows),

    /** Positions of the first unlabeled items after one, rising. */
    unlabeled: (id: string, after: number, count: number): Float64Array =>
      Float64Array.from(
        db
          .prepare<[string, number, number], { position: number }>(
            'select position from pairs where set_id = ? and verdict is null and position > ? ' +
              'order by position limit ?',
          )
          .all(id, after, count),
        ({ position }) => position,
      ),

    /** Stores a fit; the weights of earlier ones are no longer needed. */
    addFit(id: string, source: string, fit: StoredFit): void {
      setOf(id);
      const { heldout } = fit;
      db.transaction(() => {
        db.prepare('update judge_fits set head = null where set_id = ? and head is not null').run(id);
        db.prepare('insert or replace into judge_fits values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
          id,
          source,
          fit.sequence,
          fit.labels,
          fit.leftOut,
          heldout?.accuracy ?? null,
          heldout?.interval[0] ?? null,
          heldout?.interval[1] ?? null,
          Date.now(),
          JSON.stringify(fit.curve),
          storedHead(fit),
        );
      })();
    },

    /** The weights of the newest fit of a source; null if it has none. */
    head(id: string, source: string): HeadWeights | null {
      const row = db
        .prepare<[string, string], { head: Buffer }>(
          'select head from judge_fits where set_id = ? and source = ? and head is not null ' +
            'order by sequence desc limit 1',
        )
        .get(id, source);
      return row ? readHead(row.head) : null;
    },

    /** Stores what a judge says about labeled pairs, at most `mostStored` at once. */
    addOpinions(id: string, opinions: readonly Opinion[]): void {
      refuseTooMany(opinions.length);
      setOf(id);
      const put = db.prepare('insert or replace into judge_opinions values (?, ?, ?, ?, ?)');
      db.transaction(() => {
        for (const { pairId, sequence, verdict, probability } of opinions)
          put.run(pairId, id, sequence, probability, againstOf(verdict, probability));
      })();
    },

    /** Replaces the order of the queue: positions of the first items, at most `mostStored`. */
    setOrder(
      id: string,
      { settings: chosen, sequence, fitSequence, candidates }: StoredOrder,
      positions: Float64Array,
    ) {
      refuseTooMany(positions.length);
      setOf(id);
      const put = db.prepare('insert into queue_places values (?, ?, ?)');
      db.transaction(() => {
        db.prepare('delete from queue_places where set_id = ?').run(id);
        positions.forEach((position, place) => put.run(id, place, position));
        db.prepare('insert or replace into judge_orders values (?, ?, ?, ?, ?, ?)').run(
          id,
          chosen,
          sequence,
          fitSequence,
          candidates,
          Date.now(),
        );
      })();
    },

    /** Makes the order random again. */
    clearOrder(id: string): void {
      setOf(id);
      db.transaction(() => {
        db.prepare('delete from queue_places where set_id = ?').run(id);
        db.prepare('delete from judge_orders where set_id = ?').run(id);
      })();
    },
  };
};

/** Probability of the side that the label is not for; null for a label without a side. */
const againstOf = (verdict: Verdict, probability: number): number | null =>
  verdict === 'a' ? 1 - probability : verdict === 'b' ? probability : null;
