import { NEIGHBOURS, type JudgeMapReport, type JudgeMapSummary } from '../../../engine/schema/judge-map.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { EngineCalls } from '../../../engine/schema/messages.ts';
import { judgeInput, judgePlace } from '../../services/judge-place.ts';
import type { Services } from '../../services/services.ts';
import { tableOf } from './table.ts';

type Placed = EngineCalls['judgeMap']['output'];
type Item = EngineCalls['judgeMap']['input']['items'][number];

/** Time limit for reading and placing the answers of one run, in milliseconds. */
const limitMs = 3_600_000;
/** Pairs whose texts are read at once. */
const atOnce = 500;
/** Digits of a stored cosine. */
const DIGITS = 1e6;

/** Answers of pairs: the distinct ones, and their numbers by pair. */
interface Answers {
  readonly items: Item[];
  readonly chosen: number[];
  readonly rejected: number[];
}

/** Evenly chosen positions of pairs. */
const chosenPositions = (pairs: number, most: number): number[] => {
  const n = Math.min(most, pairs);
  return Array.from({ length: n }, (_none, at) => Math.floor((at * pairs) / n));
};

async function answersAt(
  { store }: Services,
  runId: string,
  positions: readonly number[],
  signal: AbortSignal,
): Promise<Answers> {
  const known = new Map<string, number>();
  const items: Item[] = [];
  const numberOf = (prompt: string, completion: string): number => {
    const key = JSON.stringify([prompt, completion]);
    const number = known.get(key) ?? items.push({ prompt, completion }) - 1;
    known.set(key, number);
    return number;
  };
  const [chosen, rejected]: [number[], number[]] = [[], []];
  for (let from = 0; from < positions.length; from += atOnce) {
    if (signal.aborted) throw new WhetstoneError('cancelled', 'The map was cancelled; nothing was stored.');
    for (const pair of await store.inspections.texts(runId, positions.slice(from, from + atOnce))) {
      chosen.push(numberOf(pair.prompt, pair.chosen));
      rejected.push(numberOf(pair.prompt, pair.rejected));
    }
  }
  return { items, chosen, rejected };
}

const reportOf = (
  positions: readonly number[],
  { items, chosen, rejected }: Answers,
  { x, y, neighbours, cosines, k }: Placed,
): JudgeMapReport => {
  const rows = (values: Uint32Array | Float64Array): number[][] =>
    items.map((_item, row) => [...values.subarray(row * k, (row + 1) * k)]);
  return {
    positions: [...positions],
    chosen,
    rejected,
    x: [...x],
    y: [...y],
    neighbours: rows(neighbours),
    cosines: rows(cosines.map((cosine) => Math.round(cosine * DIGITS) / DIGITS)),
  };
};

/**
 * Reads the answers of held-out pairs with a run's newest judge, in a process of their own, and stores the map
 * of their representations. Throws `not-found` without pairs or a checkpoint, `cancelled`, and `numeric` for a
 * judge with numbers that are not finite.
 */
export async function computeJudgeMap(
  services: Services,
  { runId, most }: { readonly runId: string; readonly most: number },
  signal: AbortSignal,
  push: (share: number) => void,
): Promise<void> {
  const { store, engine } = services;
  const table = await tableOf(services, runId);
  const { size } = table.numbers;
  const place = await judgePlace(services, { kind: 'run', id: runId });
  const positions = chosenPositions(size, most);
  const answers = await answersAt(services, runId, positions, signal);
  const asked = { ...judgeInput(place), items: answers.items, neighbours: NEIGHBOURS };
  const placed = await engine.ask('judgeMap', asked, limitMs, {
    signal,
    // stored at 1
    report: ({ share }) => push(0.99 * share),
  });
  const summary: JudgeMapSummary = {
    attempt: table.attempt,
    pairs: size,
    placed: positions.length,
    answers: answers.items.length,
    cut: placed.cut,
    width: placed.width,
    explained: [...placed.explained],
  };
  const about = { kind: 'map', hash: place.hash, runId, at: Date.now() } as const;
  await store.judgeReports.add(about, summary, reportOf(positions, answers, placed));
  push(1);
}
