import {
  answersInBar,
  byRank,
  disagreementAt,
  marginAt,
  matchingPairs,
  orderedPairs,
  sigmoid,
  verdicts,
} from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { NumberFilter, PairFilter, PairOrder } from '../../../engine/schema/inspected-pair.ts';
import type { PairEnsemble } from '../../../preload/contract/ensembles.ts';
import type { ShownPair } from '../../../preload/contract/inspections.ts';
import type { Services } from '../../services/services.ts';
import type { PairText } from '../../store/inspections/index.ts';
import { sharedEnsemble } from './ensemble.ts';
import { positionsInRegion } from './judge-map.ts';
import { slicesBy, tableOf, type InspectionTable } from './table.ts';

export interface PairQuery {
  readonly runId: string;
  readonly filter: PairFilter;
  readonly order: PairOrder;
  /** Other judges, whose disagreement is shown; `ensemble` orders by it. */
  readonly others?: readonly string[] | undefined;
}

const noSlice = (by: string, name: string): WhetstoneError =>
  new WhetstoneError('not-found', `No pair has the value '${name}' in '${by}'.`, {
    where: by,
    hint: 'The list of slices names the values that there are.',
  });

/** A filter by numbers: a region of the map becomes the positions of its pairs. */
async function numberFilter(
  services: Services,
  table: InspectionTable,
  { mark, outcome }: PairFilter,
): Promise<NumberFilter> {
  const positions = mark?.kind === 'region' ? await positionsInRegion(services, table, mark) : [];
  const own = mark?.kind === 'region' ? { kind: 'positions' as const, positions } : mark;
  return { ...(own && { mark: own }), ...(outcome && { outcome }) };
}

/** Several judges on each pair that all were inspected on, by position; none without other judges. */
async function ensembleByPair(
  services: Services,
  runId: string,
  others: readonly string[],
): Promise<ReadonlyMap<number, PairEnsemble>> {
  if (others.length === 0) return new Map();
  const { positions, found } = await sharedEnsemble(services, runId, others);
  if (!found) return new Map();
  const { margin, spread, dissent } = found;
  return new Map(
    [...positions].map((position, at) => [
      position,
      { margin: margin[at], spread: spread[at], dissent: dissent[at] },
    ]),
  );
}

/** Positions with the largest disagreement of the judges first. Throws `invalid-input` without other judges. */
async function byDisagreement(
  services: Services,
  { runId, numbers }: InspectionTable,
  positions: Uint32Array,
  others: readonly string[],
): Promise<Uint32Array> {
  if (others.length === 0)
    throw new WhetstoneError('invalid-input', 'The order by disagreement needs other reward models.', {
      where: 'order',
      hint: 'Choose them, or another order.',
    });
  const ensemble = await ensembleByPair(services, runId, others);
  const rank = Float64Array.from({ length: numbers.size }, (_none, at) => -(ensemble.get(at)?.spread ?? NaN));
  return byRank(positions, rank);
}

/** The pairs behind a filter, in an order: their positions. */
export async function positionsOf(
  services: Services,
  table: InspectionTable,
  { filter, order, others = [] }: Omit<PairQuery, 'runId'>,
): Promise<Uint32Array> {
  const { mark } = filter;
  const slices = mark?.kind === 'slice' ? await slicesBy(services, table, mark.by) : [];
  const { numbers, inspection } = table;
  const byNumbers = await numberFilter(services, table, filter);
  const found = matchingPairs(numbers, inspection, byNumbers, (by, name) => {
    const slice = slices.find((each) => each.name === name);
    if (!slice) throw noSlice(by, name);
    return slice.positions;
  });
  return order === 'ensemble'
    ? byDisagreement(services, table, found, others)
    : orderedPairs(numbers, found, order);
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
const correctness = (value: number): boolean | null => (Number.isNaN(value) ? null : value === 1);

/** A pair as it is shown, from its numbers and texts. */
export function shownPair(
  { numbers }: InspectionTable,
  text: PairText,
  ensemble: PairEnsemble | null = null,
): ShownPair {
  const { position: at, pairId, prompt, chosen, rejected, label } = text;
  return {
    position: at,
    pairId,
    prompt,
    chosen,
    rejected,
    verdict: verdicts[numbers.verdict[at]],
    chosenScore: numbers.chosenScore[at],
    rejectedScore: numbers.rejectedScore[at],
    margin: marginAt(numbers, at),
    probability: sigmoid(numbers.odds[at]),
    certainty: known(numbers.weight[at]),
    strength: known(numbers.strength[at]),
    disagreement: disagreementAt(numbers, at),
    chosenTokens: numbers.chosenTokens[at],
    rejectedTokens: numbers.rejectedTokens[at],
    chosenCorrect: correctness(numbers.chosenCorrect[at]),
    rejectedCorrect: correctness(numbers.rejectedCorrect[at]),
    label,
    ensemble,
  };
}

/** A page of the pairs behind a filter. Throws `not-found` for an inspection without pairs, bin or slice. */
export async function pairsPage(
  services: Services,
  { runId, offset, limit, ...query }: PairQuery & { readonly offset: number; readonly limit: number },
): Promise<{ total: number; answers: number | null; pairs: ShownPair[] }> {
  const table = await tableOf(services, runId);
  const positions = await positionsOf(services, table, query);
  const texts = await services.store.inspections.texts(runId, [...positions.slice(offset, offset + limit)]);
  const ensemble = await ensembleByPair(services, runId, query.others ?? []);
  const { mark } = query.filter;
  const bar = mark?.kind === 'scores' ? mark.bin : null;
  return {
    total: positions.length,
    answers: bar === null ? null : answersInBar(table.numbers, table.inspection, bar, positions),
    pairs: texts.map((text) => shownPair(table, text, ensemble.get(text.position) ?? null)),
  };
}
