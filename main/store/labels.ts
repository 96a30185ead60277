import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Verdict } from '../../engine/schema/preference.ts';
import type { Decision, PairShown, Progress } from '../../preload/contract/labels.ts';
import { found, mostRows, type StoreContext } from './context.ts';

type PairRow = {
  id: string;
  set_id: string;
  position: number;
  prompt: string;
  a: string;
  b: string;
  left_is: 'a' | 'b';
  verdict: Verdict | null;
};
type EventRow = {
  sequence: number;
  pair_id: string;
  event: 'label' | 'correction' | 'undo';
  verdict: Verdict | null;
  at: number;
  seconds: number | null;
  labeler: string;
  left_is: 'a' | 'b';
};

export interface NewDecision {
  readonly pairId: string;
  readonly verdict: Verdict;
  readonly seconds: number | null;
  readonly labeler: string;
  readonly rationale: string;
}

/** Labeler, time, duration and rationale of a decision. */
interface Circumstances {
  readonly labeler: string;
  readonly at: number;
  readonly seconds?: number | null;
  readonly rationale?: string;
}

const shown = ({ id, position, prompt, a, b, left_is: leftIs }: PairRow): PairShown => ({
  pairId: id,
  position,
  prompt,
  a,
  b,
  leftIs,
});

/** Longer gaps count as breaks and are excluded from the pace. */
const pauseMs = 120_000;

/**
 * Decisions per minute, from the times of the newest decisions, newest first; null without a gap to measure.
 */
function pace(times: readonly number[]): number | null {
  const gaps = times
    .slice(1)
    .map((at, i) => times[i] - at)
    .filter((gap) => gap > 0 && gap < pauseMs);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return gaps.length ? 60_000 / mean : null;
}

/** Most decisions stored in one call. */
export const mostDecisions = 250;

const selectPairs =
  'select p.id, p.set_id, p.position, p.prompt, p.a, p.b, p.left_is, p.verdict from pairs p';

type Counts = { pairs: number; labeled: number; decided: number; lefts: number };

/**
 * The append-only log of labels: decisions, corrections, undos. A pair's verdict is derived from it (see the
 * migrations).
 */
export const labelQueries = ({ db }: StoreContext) => {
  const pairById = db.prepare<[string], PairRow>(
    `${selectPairs} join label_sets s on s.id = p.set_id and s.visible = 1 where p.id = ?`,
  );
  const pairOf = (id: string): PairRow => found(pairById.get(id), 'pair', id);
  const counts = db.prepare<[string], Counts>(
    'select pairs, labeled, decided, lefts from label_sets where id = ? and visible = 1',
  );
  const setExists = (id: string): Counts => found(counts.get(id), 'label set', id);
  const insert = db.prepare(
    'insert into label_events (pair_id, set_id, event, verdict, undoes, at, seconds, labeler, rationale) ' +
      'values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const newest = db.prepare<[string], { at: number }>(
    "select at from label_events where set_id = ? and event <> 'undo' order by sequence desc limit 20",
  );
  const record = (
    pair: PairRow,
    verdict: Verdict,
    { seconds = null, labeler, rationale = '', at }: Circumstances,
  ) =>
    insert.run(
      pair.id,
      pair.set_id,
      pair.verdict === null ? 'label' : 'correction',
      verdict,
      null,
      at,
      seconds,
      labeler,
      rationale,
    );

  const progress = (setId: string): Progress => {
    const { pairs, labeled, decided, lefts } = setExists(setId);
    return {
      pairs,
      labeled,
      perMinute: pace(newest.all(setId).map((r) => r.at)),
      leftShare: decided ? lefts / decided : null,
    };
  };

  return {
    progress,
    pair: (id: string): PairShown => shown(pairOf(id)),

    queue(setId: string, after: readonly string[], count: number): PairShown[] {
      setExists(setId);
      return db
        .prepare<[string, string, number], PairRow>(
          `
        ${selectPairs} where p.set_id = ? and p.verdict is null and p.id not in (select value
          from json_each(?)) order by p.position limit ?`,
        )
        .all(setId, JSON.stringify(after), count)
        .map(shown);
    },

    /** Stores a decision; it is committed and synced to disk on return. */
    decide({ pairId, verdict, ...rest }: NewDecision): Progress {
      const pair = pairOf(pairId);
      record(pair, verdict, { ...rest, at: Date.now() });
      return progress(pair.set_id);
    },

    /** Stores at most `mostDecisions` decisions in one transaction; `isTrial` only checks them. */
    decideMany(
      labeler: string,
      decisions: readonly { pairId: string; verdict: Verdict }[],
      isTrial = false,
    ): Progress {
      const pairs = decisions.map(({ pairId }) => pairOf(pairId));
      const sets = new Set(pairs.map((pair) => pair.set_id));
      const [setId] = sets;
      if (setId === undefined || sets.size > 1)
        throw new WhetstoneError('invalid-input', 'Decisions must be about the pairs of one label set.', {
          where: 'decisions',
        });
      if (decisions.length > mostDecisions)
        throw new WhetstoneError(
          'invalid-input',
          `At most ${mostDecisions} decisions can be stored at once.`,
          { where: 'decisions' },
        );
      if (isTrial) return progress(setId);
      const at = Date.now();
      // a repeated pair has a verdict the second time
      db.transaction(() => decisions.forEach((d) => record(pairOf(d.pairId), d.verdict, { labeler, at })))();
      return progress(setId);
    },

    undo(setId: string, labeler: string): PairShown | null {
      setExists(setId);
      const last = db
        .prepare<[string, string], { sequence: number; pair_id: string }>(
          `
        select e.sequence, e.pair_id from label_events e where e.set_id = ? and e.labeler = ? and e.event <> 'undo'
          and not exists (select 1 from label_events u where u.undoes = e.sequence) order by e.sequence desc limit 1`,
        )
        .get(setId, labeler);
      if (!last) return null;
      insert.run(last.pair_id, setId, 'undo', null, last.sequence, Date.now(), null, labeler, '');
      return shown(pairOf(last.pair_id));
    },

    recent(setId: string, count: number): Decision[] {
      setExists(setId);
      return db
        .prepare<[string, number], EventRow & { verdict: Verdict }>(
          `
        select e.*, p.left_is from pairs p join label_events e on e.sequence = p.verdict_sequence
        where p.set_id = ? and p.verdict is not null order by p.verdict_sequence desc limit ?`,
        )
        .all(setId, count)
        .map((r) => ({
          pairId: r.pair_id,
          verdict: r.verdict,
          leftIs: r.left_is,
          at: r.at,
          seconds: r.seconds,
          labeler: r.labeler,
        }));
    },

    /** The newest events of a pair, in order. */
    history(
      pairId: string,
    ): { event: 'label' | 'correction' | 'undo'; verdict: Verdict | null; at: number; labeler: string }[] {
      pairOf(pairId);
      return db
        .prepare<[string, number], EventRow>(
          'select * from label_events where pair_id = ? order by sequence desc limit ?',
        )
        .all(pairId, mostRows)
        .reverse()
        .map(({ event, verdict, at, labeler }) => ({ event, verdict, at, labeler }));
    },
  };
};
