import {
  answersInBar,
  disagreementAt,
  marginAt,
  matchingPairs,
  orderedPairs,
  sigmoid,
  verdicts,
} from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { PairFilter, PairOrder } from '../../../engine/schema/inspected-pair.ts';
import type { ShownPair } from '../../../preload/contract/inspections.ts';
import type { Services } from '../../services/services.ts';
import type { PairText } from '../../store/inspections/index.ts';
import { slicesBy, tableOf, type InspectionTable } from './table.ts';

export interface PairQuery {
  readonly runId: string;
  readonly filter: PairFilter;
  readonly order: PairOrder;
}

const noSlice = (by: string, name: string): WhetstoneError =>
  new WhetstoneError('not-found', `No pair has the value '${name}' in '${by}'.`, {
    where: by,
    hint: 'The list of slices names the values that there are.',
  });

/** The pairs behind a filter, in an order: their positions. */
export async function positionsOf(
  services: Services,
  table: InspectionTable,
  { filter, order }: Omit<PairQuery, 'runId'>,
): Promise<Uint32Array> {
  const { mark } = filter;
  const slices = mark?.kind === 'slice' ? await slicesBy(services, table, mark.by) : [];
  const { numbers, inspection } = table;
  const found = matchingPairs(numbers, inspection, filter, (by, name) => {
    const slice = slices.find((each) => each.name === name);
    if (!slice) throw noSlice(by, name);
    return slice.positions;
  });
  return orderedPairs(numbers, found, order);
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
const mark = (value: number): boolean | null => (Number.isNaN(value) ? null : value === 1);

/** A pair as it is shown, from its numbers and texts. */
export function shownPair({ numbers }: InspectionTable, text: PairText): ShownPair {
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
    chosenCorrect: mark(numbers.chosenCorrect[at]),
    rejectedCorrect: mark(numbers.rejectedCorrect[at]),
    label,
  };
}

/** A page of the pairs behind a filter. Throws `not-found` for an inspection without pairs, bin or slice. */
export async function pairsPage(
  services: Services,
  { runId, filter, order, offset, limit }: PairQuery & { readonly offset: number; readonly limit: number },
): Promise<{ total: number; answers: number | null; pairs: ShownPair[] }> {
  const table = await tableOf(services, runId);
  const positions = await positionsOf(services, table, { filter, order });
  const texts = await services.store.inspections.texts(runId, [...positions.slice(offset, offset + limit)]);
  const bar = filter.mark?.kind === 'scores' ? filter.mark.bin : null;
  return {
    total: positions.length,
    answers: bar === null ? null : answersInBar(table.numbers, table.inspection, bar, positions),
    pairs: texts.map((text) => shownPair(table, text)),
  };
}
