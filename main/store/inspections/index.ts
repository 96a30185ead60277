import type { EngineCalls } from '../../../engine/schema/messages.ts';
import type { InspectedPair } from '../../../engine/schema/inspected-pair.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import { found, type StoreContext } from '../context.ts';
import type { Db } from '../database.ts';
import { inParts } from '../files.ts';
import type { Sliced } from '../slices.ts';
import { cellsOf, type PairCells } from './cells.ts';
import type { Inspection } from './inspection.ts';
import { numbersOf, type StoredNumbers } from './numbers.ts';
import { sourceOf, type PairSource } from './source.ts';

export type { PairCells, PairSource, StoredNumbers };

/** Part of the pairs of an inspection, in their order. */
export type PairPart = EngineCalls['inspectAgain']['progress'];

/** An inspected pair's ids and texts, and the label set of the workspace that holds it. */
export interface PairText {
  readonly position: number;
  readonly pairId: string;
  readonly promptId: string;
  readonly prompt: string;
  readonly chosen: string;
  readonly rejected: string;
  /** The label set whose pair it is, with the verdict that counts now, and the answer that was a. */
  readonly label: { readonly setId: string; readonly set: string; readonly verdict: Verdict | null } | null;
}

type TextRow = Omit<PairText, 'label'> & {
  set_id: string | null;
  set_name: string | null;
  verdict: Verdict | null;
};

const textSql = `
  select t.position, n.pair_id pairId, t.prompt_id promptId, t.prompt, t.chosen, t.rejected,
    s.id set_id, s.name set_name, p.verdict
  from inspected_texts t
  join inspected_pairs n on n.run_id = t.run_id and n.attempt = t.attempt and n.position = t.position
  left join pairs p on p.id = n.pair_id
  left join label_sets s on s.id = p.set_id and s.visible = 1 and s.mode = 'pair'
  where t.run_id = ? and t.attempt = ? and t.position = ?`;

const verdictNumbers: Readonly<Record<Verdict, number>> = { a: 0, b: 1, tie: 2, 'both-bad': 3, skip: 4 };

const statements = (db: Db) => ({
  numbers: db.prepare(
    'insert or replace into inspected_pairs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  ),
  texts: db.prepare('insert or replace into inspected_texts values (?, ?, ?, ?, ?, ?, ?)'),
  whole: db.prepare('insert or replace into inspections values (?, ?, ?)'),
  inspection: db.prepare<[string], Inspection>('select attempt, pairs from inspections where run_id = ?'),
  text: db.prepare<[string, number, number], TextRow>(textSql),
});

const charactersOf = ({ prompt, chosen, rejected }: InspectedPair): number =>
  prompt.length + chosen.length + rejected.length;

/** Queries of the pairs behind the inspections of reward models. */
export const inspectionQueries = ({ db }: StoreContext) => {
  const { numbers, texts, whole, inspection, text } = statements(db);
  const put = (runId: string, attempt: number, position: number, pair: InspectedPair): void => {
    const correct = (value: boolean | null): number | null => (value === null ? null : Number(value));
    numbers.run(
      runId,
      attempt,
      position,
      pair.pairId,
      pair.chosenScore,
      pair.rejectedScore,
      pair.odds,
      pair.chosenTokens,
      pair.rejectedTokens,
      correct(pair.chosenCorrect),
      correct(pair.rejectedCorrect),
      verdictNumbers[pair.verdict],
      pair.weight ?? null,
      pair.strength ?? null,
      pair.promptNumber,
      pair.chosenNumber,
      pair.rejectedNumber,
    );
    texts.run(runId, attempt, position, pair.promptId, pair.prompt, pair.chosen, pair.rejected);
  };
  const get = (runId: string): Inspection =>
    found(inspection.get(runId), 'inspection with pairs of the run', runId);

  return {
    /** Stores a part within the transaction that commits its event. The last one makes the pairs visible. */
    append(runId: string, attempt: number, { from, total, rows }: PairPart): void {
      rows.forEach((row, at) => put(runId, attempt, from + at, row));
      if (from + rows.length === total) whole.run(runId, attempt, total);
    },

    /** Stores a part in slices, as `append` does. */
    *store(runId: string, attempt: number, { from, total, rows }: PairPart): Sliced<void> {
      let position = from;
      for (const some of inParts(rows, charactersOf)) {
        db.transaction(() => some.forEach((row, at) => put(runId, attempt, position + at, row)))();
        position += some.length;
        yield;
      }
      if (position === total) whole.run(runId, attempt, total);
    },

    /** The inspection of a run whose pairs are stored; null without one. */
    of: (runId: string): Inspection | null => inspection.get(runId) ?? null,

    /** The numbers of all pairs. Throws `not-found` where none are stored. */
    *numbers(runId: string): Sliced<StoredNumbers> {
      return yield* numbersOf(db, runId, get(runId));
    },

    /** Ids and texts of the pairs at some positions, in the order given. */
    texts(runId: string, positions: readonly number[]): PairText[] {
      const { attempt } = get(runId);
      return positions.flatMap((position): PairText[] => {
        const row = text.get(runId, attempt, position);
        if (!row) return [];
        const { set_id: setId, set_name: set, verdict, ...rest } = row;
        return [{ ...rest, label: setId === null ? null : { setId, set: set ?? '', verdict } }];
      });
    },

    /** The values of a column in the rows that each pair comes from. */
    *cells(runId: string, column: string): Sliced<PairCells> {
      return yield* cellsOf(db, runId, get(runId), column);
    },

    /**
     * The pairs that two runs share, with the same id and verdict: their positions in the inspection of each, in
     * the order of the first.
     */
    shared(runId: string, otherId: string): { mine: Uint32Array; theirs: Uint32Array } {
      // without statistics SQLite would read all pairs of the other run for each pair of this one
      const rows = db
        .prepare<[string, number, string, number], [number, number]>(
          `select a.position, b.position from inspected_pairs a cross join inspected_pairs b indexed by inspected_pairs_by_pair
            on b.pair_id = a.pair_id and b.verdict = a.verdict
            where a.run_id = ? and a.attempt = ? and b.run_id = ? and b.attempt = ? order by a.position`,
        )
        .raw()
        .all(runId, get(runId).attempt, otherId, get(otherId).attempt);
      return {
        mine: Uint32Array.from(rows, ([mine]) => mine),
        theirs: Uint32Array.from(rows, ([, theirs]) => theirs),
      };
    },

    /** Source of the pairs of a run. */
    source: (runId: string): PairSource => sourceOf(db, runId),
  };
};
