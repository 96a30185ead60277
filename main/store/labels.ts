import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Verdict } from '../../engine/schema/preference.ts';
import type { Decision, PairShown, Progress, SideVerdict } from '../../preload/contract/labels.ts';
import { found, type StoreContext } from './context.ts';

type PairRow = { id: string; set_id: string; position: number; prompt: string; a: string; b: string; left_is: 'a' | 'b' };
type EventRow = { sequence: number; pair_id: string; event: 'label' | 'correction' | 'undo'; verdict: Verdict | null; at: number; seconds: number | null; labeler: string; left_is: 'a' | 'b' };

export interface DecisionMade {
  readonly pairId: string;
  readonly verdict: SideVerdict;
  readonly seconds: number | null;
  readonly labeler: string;
  readonly rationale: string;
}

const shown = (p: PairRow): PairShown => ({
  pairId: p.id, position: p.position, prompt: p.prompt, left: p.left_is === 'a' ? p.a : p.b, right: p.left_is === 'a' ? p.b : p.a,
});
/** From the side that was seen to the answer that is stored, and back. */
const ofSide = (verdict: SideVerdict, leftIs: 'a' | 'b'): Verdict =>
  verdict === 'left' ? leftIs : verdict === 'right' ? (leftIs === 'a' ? 'b' : 'a') : verdict;
const toSide = (verdict: Verdict, leftIs: 'a' | 'b'): SideVerdict =>
  verdict === 'a' || verdict === 'b' ? (verdict === leftIs ? 'left' : 'right') : verdict;

/** Longer pauses than this are no work: they do not count in the pace. */
const pauseMs = 120_000;

/** The log of labels: decisions, corrections, undos. Nothing in it is ever changed. */
export const labelQueries = ({ db }: StoreContext) => {
  const pairOf = (id: string): PairRow => found(db.prepare<[string], PairRow>('select id, set_id, position, prompt, a, b, left_is from pairs where id = ?').get(id), 'pair', id);
  const setExists = (id: string) => found(db.prepare<[string], { id: string }>('select id from label_sets where id = ?').get(id), 'label set', id);
  const insert = db.prepare('insert into label_events (pair_id, event, verdict, undoes, at, seconds, labeler, rationale) values (?, ?, ?, ?, ?, ?, ?, ?)');
  const standing = db.prepare<[string], { n: number }>('select count(*) n from standing_labels where pair_id = ?');
  const record = (pairId: string, verdict: Verdict, { seconds = null, labeler, rationale = '', at }: { seconds?: number | null; labeler: string; rationale?: string; at: number }) =>
    insert.run(pairId, standing.get(pairId)?.n ? 'correction' : 'label', verdict, null, at, seconds, labeler, rationale);

  const progress = (setId: string): Progress => {
    setExists(setId);
    const counts = found(db.prepare<[string], { pairs: number; labeled: number; sides: number; left: number }>(`
      select count(*) pairs, count(v.verdict) labeled, sum(coalesce(v.verdict in ('a', 'b'), 0)) sides, sum(coalesce(v.verdict = p.left_is, 0)) "left"
      from pairs p left join verdicts v on v.pair_id = p.id where p.set_id = ?`).get(setId), 'label set', setId);
    const times = db.prepare<[string], { at: number }>(`
      select e.at from label_events e join pairs p on p.id = e.pair_id where p.set_id = ? and e.event <> 'undo' order by e.sequence desc limit 20`).all(setId).map((r) => r.at);
    const gaps = times.slice(1).map((at, i) => times[i] - at).filter((gap) => gap > 0 && gap < pauseMs);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    return { pairs: counts.pairs, labeled: counts.labeled, perMinute: gaps.length ? 60_000 / mean : null, leftShare: counts.sides ? counts.left / counts.sides : null };
  };

  return {
    progress,
    pair: (id: string): PairShown => shown(pairOf(id)),

    queue(setId: string, after: readonly string[], count: number): PairShown[] {
      setExists(setId);
      return db.prepare<[string, string, number], PairRow>(`
        select p.id, p.set_id, p.position, p.prompt, p.a, p.b, p.left_is from pairs p
        where p.set_id = ? and not exists (select 1 from standing_labels l where l.pair_id = p.id)
          and p.id not in (select value from json_each(?)) order by p.position limit ?`).all(setId, JSON.stringify(after), count).map(shown);
    },

    /** Committed, and synced to the disk, when it returns. */
    decide({ pairId, verdict, ...rest }: DecisionMade): Progress {
      const pair = pairOf(pairId);
      db.transaction(() => record(pairId, ofSide(verdict, pair.left_is), { ...rest, at: Date.now() }))();
      return progress(pair.set_id);
    },

    decideMany(labeler: string, decisions: readonly { pairId: string; verdict: Verdict }[]): Progress {
      const sets = new Set(decisions.map((d) => pairOf(d.pairId).set_id));
      const [setId] = sets;
      if (setId === undefined || sets.size > 1) throw new WhetstoneError('invalid-input', 'Decisions must be about the pairs of one label set.', { where: 'decisions' });
      const at = Date.now();
      db.transaction(() => decisions.forEach((d) => record(d.pairId, d.verdict, { labeler, at })))();
      return progress(setId);
    },

    undo(setId: string, labeler: string): PairShown | null {
      setExists(setId);
      const last = db.prepare<[string, string], { sequence: number; pair_id: string }>(`
        select l.sequence, l.pair_id from standing_labels l join pairs p on p.id = l.pair_id
        where p.set_id = ? and l.labeler = ? order by l.sequence desc limit 1`).get(setId, labeler);
      if (!last) return null;
      insert.run(last.pair_id, 'undo', null, last.sequence, Date.now(), null, labeler, '');
      return shown(pairOf(last.pair_id));
    },

    recent(setId: string, count: number): Decision[] {
      setExists(setId);
      return db.prepare<[string, number], EventRow & { verdict: Verdict }>(`
        select v.*, p.left_is from verdicts v join pairs p on p.id = v.pair_id where p.set_id = ? order by v.sequence desc limit ?`).all(setId, count)
        .map((r) => ({ pairId: r.pair_id, verdict: toSide(r.verdict, r.left_is), at: r.at, seconds: r.seconds, labeler: r.labeler }));
    },

    history(pairId: string): { event: 'label' | 'correction' | 'undo'; verdict: Verdict | null; at: number; labeler: string }[] {
      pairOf(pairId);
      return db.prepare<[string], EventRow>('select * from label_events where pair_id = ? order by sequence').all(pairId)
        .map(({ event, verdict, at, labeler }) => ({ event, verdict, at, labeler }));
    },
  };
};
