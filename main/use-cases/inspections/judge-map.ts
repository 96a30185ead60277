import { hitAt, isDecided, marginAt } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { JudgeMapReport, JudgeMapSummary } from '../../../engine/schema/judge-map.ts';
import type { RegionMark } from '../../../engine/schema/inspected-pair.ts';
import type { JudgeMap, NearAnswer, PairSide } from '../../../preload/contract/judge-maps.ts';
import { judgePlace } from '../../services/judge-place.ts';
import type { Services } from '../../services/services.ts';
import type { StoreClient } from '../../store/client.ts';
import { tableOf, type InspectionTable } from './table.ts';

/** A stored map with the facts of its report. */
interface Stored {
  readonly id: string;
  readonly at: number;
  readonly hash: string;
  readonly summary: JudgeMapSummary;
  readonly report: JudgeMapReport;
}

/** The map that was read last, of each workspace: a report is never changed. */
const kept = new WeakMap<StoreClient, Stored>();

/** The newest map of a run for exactly the pairs of its inspection; null without one. */
async function storedOf({ store }: Services, { runId, attempt, numbers }: InspectionTable) {
  const listed = await store.judgeReports.newestOfRun('map', runId);
  if (!listed) return null;
  const summary = JudgeMapSummary.parse(listed.summary);
  if (summary.attempt !== attempt || summary.pairs !== numbers.size) return null;
  const known = kept.get(store);
  if (known?.id === listed.id) return known;
  const report = JudgeMapReport.parse(await store.judgeReports.get(listed.id));
  const read = { id: listed.id, at: listed.at, hash: listed.hash, summary, report };
  kept.set(store, read);
  return read;
}

/** As `storedOf`; throws `not-found` without a map. */
async function mapOf(services: Services, table: InspectionTable): Promise<Stored> {
  const stored = await storedOf(services, table);
  if (stored) return stored;
  throw new WhetstoneError('not-found', `'${table.name}' has no map of its held-out answers.`, {
    where: table.runId,
    hint: 'Compute it: the tab Map offers it, and so does "rewards map".',
  });
}

/** Reason that a map may not be of the judge as it is now. */
async function staleness(services: Services, runId: string, hash: string): Promise<JudgeMap['stale']> {
  try {
    return (await judgePlace(services, { kind: 'run', id: runId })).hash === hash ? null : 'files';
  } catch (error) {
    if (WhetstoneError.from(error).kind === 'not-found') return 'deleted';
    throw error;
  }
}

/** Values of both answers of each pair, the chosen one first. */
const bySide = (count: number, value: (pair: number, side: PairSide) => number) =>
  Float64Array.from({ length: 2 * count }, (_none, at) =>
    value(at >> 1, at % 2 === 0 ? 'chosen' : 'rejected'),
  );

const scoreAt = ({ numbers }: InspectionTable, position: number, side: PairSide): number =>
  (side === 'chosen' ? numbers.chosenScore : numbers.rejectedScore)[position];

/** The newest stored map of a run's judge; null without one. Throws `not-found` for an inspection without pairs. */
export async function storedJudgeMap(services: Services, runId: string): Promise<JudgeMap | null> {
  const table = await tableOf(services, runId);
  const stored = await storedOf(services, table);
  if (!stored) return null;
  const { at, hash, summary, report } = stored;
  const { numbers } = table;
  const { positions } = report;
  const placeOf = (axis: 'x' | 'y') =>
    bySide(positions.length, (pair, side) => report[axis][report[side][pair]]);
  return {
    at,
    stale: await staleness(services, runId, hash),
    pairs: summary.pairs,
    answers: summary.answers,
    cut: summary.cut,
    width: summary.width,
    explained: summary.explained,
    positions: Float64Array.from(positions),
    margins: Float64Array.from(positions, (position) => marginAt(numbers, position)),
    hits: Float64Array.from(positions, (position) =>
      isDecided(numbers, position) ? hitAt(numbers, position) : Number.NaN,
    ),
    x: placeOf('x'),
    y: placeOf('y'),
    scores: bySide(positions.length, (pair, side) => scoreAt(table, positions[pair], side)),
  };
}

/** The first pair and side of each answer on a map. */
function firstPlaces({ chosen, rejected }: JudgeMapReport): Map<number, { pair: number; side: PairSide }> {
  const places = new Map<number, { pair: number; side: PairSide }>();
  const add = (answer: number, pair: number, side: PairSide): void => {
    if (!places.has(answer)) places.set(answer, { pair, side });
  };
  chosen.forEach((answer, pair) => {
    add(answer, pair, 'chosen');
    add(rejected[pair], pair, 'rejected');
  });
  return places;
}

/**
 * An answer on the stored map, then the nearest ones by the cosine of their representations, each with the first
 * pair that it is in; the other answer of the same pair in that pair. Throws `not-found` for a pair that is not
 * on the map.
 */
export async function nearAnswers(
  services: Services,
  { runId, position, side }: { readonly runId: string; readonly position: number; readonly side: PairSide },
): Promise<NearAnswer[]> {
  const table = await tableOf(services, runId);
  const { report } = await mapOf(services, table);
  const pair = report.positions.indexOf(position);
  if (pair < 0)
    throw new WhetstoneError('not-found', `Pair ${position + 1} is not on the map.`, {
      where: 'position',
      hint: 'The map holds some pairs of a larger inspection: choose one of its points.',
    });
  const own = report[side][pair];
  const opposite = side === 'chosen' ? 'rejected' : 'chosen';
  const places = firstPlaces(report);
  const near = [own, ...report.neighbours[own]].map((answer, at) => {
    const is: NearAnswer['is'] = at === 0 ? 'self' : answer === report[opposite][pair] ? 'pair' : 'other';
    const first = places.get(answer);
    const place = is === 'other' && first ? first : { pair, side: is === 'self' ? side : opposite };
    return {
      is,
      side: place.side,
      position: report.positions[place.pair],
      cosine: at === 0 ? 1 : report.cosines[own][at - 1],
    };
  });
  const wanted = near.map((each) => each.position);
  const texts = await services.store.inspections.texts(runId, wanted);
  return near.map((each, at) => ({
    ...each,
    score: scoreAt(table, each.position, each.side),
    prompt: texts[at].prompt,
    answer: texts[at][each.side],
  }));
}

/** Positions of the pairs with an answer in a region of the stored map, rising. Throws `not-found` without a map. */
export async function positionsInRegion(
  services: Services,
  table: InspectionTable,
  { x, y }: RegionMark,
): Promise<number[]> {
  const { report } = await mapOf(services, table);
  const within = (value: number, [low, high]: RegionMark['x']): boolean =>
    value >= (low ?? -Infinity) && value <= (high ?? Infinity);
  const isInside = (answer: number): boolean => within(report.x[answer], x) && within(report.y[answer], y);
  return report.positions.filter(
    (_position, pair) => isInside(report.chosen[pair]) || isInside(report.rejected[pair]),
  );
}
