import {
  inspectedSlices,
  isDecided,
  lengthRatioAt,
  quantile,
  sidesAt,
  type PairNumbers,
} from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { RewardInspection } from '../../../engine/schema/evaluation.ts';
import { readResult } from '../../../engine/schema/results.ts';
import type { Services } from '../../services/services.ts';
import type { StoreClient } from '../../store/client.ts';
import { slicesOfCells, type Slice } from './cell-slices.ts';

/** An inspection with the numbers of its pairs. */
export interface InspectionTable {
  readonly runId: string;
  readonly name: string;
  readonly inspection: RewardInspection;
  /** The run's attempt that the pairs are of. */
  readonly attempt: number;
  readonly numbers: PairNumbers;
  /** Positions of the pairs with a preferred answer. */
  readonly decided: Uint32Array;
}

/** Tables that are kept in memory, 13 numbers a pair. */
const mostTables = 3;
/** Time for which the slices of a column are kept, in milliseconds: a page of pairs does not read all rows. */
const slicesMs = 20_000;

interface Kept {
  readonly tables: Map<string, Promise<InspectionTable>>;
  readonly slices: Map<string, { readonly at: number; readonly slices: Promise<readonly Slice[]> }>;
}
const kept = new WeakMap<StoreClient, Kept>();
const keptOf = (store: StoreClient): Kept => {
  const known = kept.get(store) ?? { tables: new Map(), slices: new Map() };
  kept.set(store, known);
  return known;
};

/** The stored inspection of a run. Throws `not-found` without one. */
export async function inspectionOf({ store }: Services, runId: string): Promise<RewardInspection> {
  const run = await store.runs.get(runId);
  const result = await store.results.newest(runId, 'reward-inspection');
  if (!result)
    throw new WhetstoneError('not-found', `'${run.name}' has no inspection (it is ${run.state}).`, {
      where: runId,
      hint: 'Only a reward-model run that is done has one.',
    });
  return readResult('reward-inspection', result.value);
}

/** The table of a run. Throws `not-found` for an inspection without pairs. */
export async function tableOf(services: Services, runId: string): Promise<InspectionTable> {
  const { store } = services;
  const inspection = await inspectionOf(services, runId);
  const state = await store.inspections.of(runId);
  const { name } = await store.runs.get(runId);
  if (!state)
    throw new WhetstoneError('not-found', `The inspection of '${name}' was stored without its pairs.`, {
      where: runId,
      hint: 'Inspect it again: its checkpoint scores the same pairs.',
    });
  const { tables } = keptOf(store);
  const key = `${runId}/${state.attempt}/${state.pairs}`;
  const known = tables.get(key);
  if (known) return { ...(await known), name };
  const reading = read(services, { runId, name, inspection, attempt: state.attempt });
  tables.set(key, reading);
  if (tables.size > mostTables) tables.delete(tables.keys().next().value ?? key);
  reading.catch(() => tables.delete(key));
  return reading;
}

async function read(
  { store }: Services,
  about: Omit<InspectionTable, 'numbers' | 'decided'>,
): Promise<InspectionTable> {
  const numbers = await store.inspections.numbers(about.runId);
  const all = Array.from({ length: numbers.size }, (_none, at) => at);
  const decided = Uint32Array.from(all.filter((at) => isDecided(numbers, at)));
  return { ...about, numbers, decided };
}

/** Edges of a number's quarters over some pairs, without repetitions. */
const quarters = (values: readonly number[]): number[] => [
  ...new Set([0, 0.25, 0.5, 0.75, 1].map((q) => quantile(values, q))),
];

/** Slices by the quarters of a number. `shown` writes an edge. */
export const byQuarters = (
  positions: Uint32Array,
  valueAt: (at: number) => number,
  shown: (edge: number) => string,
): Slice[] => {
  const known = [...positions].filter((at) => !Number.isNaN(valueAt(at)));
  if (known.length === 0) return [];
  const edges = quarters(known.map(valueAt));
  if (edges.length === 1) return [{ name: shown(edges[0]), positions: Uint32Array.from(known) }];
  return edges.slice(1).flatMap((to, i): Slice[] => {
    const from = edges[i];
    const isLast = i === edges.length - 2;
    const own = known.filter((at) => {
      const value = valueAt(at);
      return value >= from && (value < to || (isLast && value === to));
    });
    return own.length > 0
      ? [{ name: `${shown(from)} to ${shown(to)}`, positions: Uint32Array.from(own) }]
      : [];
  });
};

const byValue = (positions: Uint32Array, values: Float64Array): Slice[] =>
  [...Map.groupBy(positions, (at) => values[at])]
    .sort(([a], [b]) => a - b)
    .map(([value, own]) => ({
      name: Number.isNaN(value) ? '(none)' : String(value),
      positions: Uint32Array.from(own),
    }));

type Own = (table: InspectionTable) => Slice[];

/** Columns that follow from an inspection itself. */
export const ownColumns: Readonly<Record<string, { readonly about: string; readonly slices: Own }>> = {
  inspected: {
    about: 'correctness and length, as in every inspection',
    slices: ({ numbers, decided }) =>
      inspectedSlices.flatMap(({ name, holds }) => {
        const positions = decided.filter((at) => holds(sidesAt(numbers, at)));
        return positions.length > 0 ? [{ name, positions }] : [];
      }),
  },
  'length ratio': {
    about: 'tokens of the chosen answer over those of the rejected one, in quarters',
    slices: ({ numbers, decided }) =>
      byQuarters(
        decided,
        (at) => lengthRatioAt(numbers, at),
        (edge) => `×${edge.toFixed(2)}`,
      ),
  },
  strength: {
    about: 'strength of the preference: 1 slightly, 2 plainly, 3 much better',
    slices: ({ numbers, decided }) => byValue(decided, numbers.strength),
  },
  certainty: {
    about: 'probability that the label is right, by the reliability of its labelers, in quarters',
    slices: ({ numbers, decided }) => {
      const unknown = decided.filter((at) => Number.isNaN(numbers.weight[at]));
      const known = byQuarters(
        decided,
        (at) => numbers.weight[at],
        (edge) => edge.toFixed(3),
      );
      return unknown.length > 0 ? [...known, { name: '(none)', positions: unknown }] : known;
    },
  },
};

/** The slices of a column over the pairs with a preferred answer. */
export async function slicesBy(
  { store }: Services,
  table: InspectionTable,
  by: string,
): Promise<readonly Slice[]> {
  if (Object.hasOwn(ownColumns, by)) return ownColumns[by].slices(table);
  const { slices } = keptOf(store);
  const key = `${table.runId}/${by}`;
  const known = slices.get(key);
  if (known && performance.now() - known.at < slicesMs) return known.slices;
  const made = store.inspections.cells(table.runId, by).then((cells) => slicesOfCells(table.decided, cells));
  slices.set(key, { at: performance.now(), slices: made });
  if (slices.size > mostTables * 4) slices.delete(slices.keys().next().value ?? key);
  made.catch(() => slices.delete(key));
  return made;
}
