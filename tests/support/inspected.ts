/** Runs with an inspection and its pairs, stored as the engine's events store them. */
import { inspectPairs } from '../../engine/evaluate/index.ts';
import { inspectedPairs, type ScoredRow } from '../../engine/evaluate/pairs/index.ts';
import type { RewardInspection } from '../../engine/schema/evaluation.ts';
import type { EngineEvent, EventBody } from '../../engine/schema/messages.ts';
import type { StoreClient } from '../../main/store/client.ts';
import type { RunInput } from '../../main/store/runs.ts';
import { parsedSpec } from './workspace.ts';

/** Pairs in the order of events, in parts of this many. */
const PART = 64;

/** The event bodies of an inspection: its pairs in parts, then its result. */
export const inspectionEvents = (rows: readonly ScoredRow[], withPairs = true): EventBody[] => {
  const pairs = [...inspectedPairs(rows)];
  const parts = Array.from({ length: Math.ceil(pairs.length / PART) }, (_none, at) => at * PART);
  return [
    ...(withPairs
      ? parts.map((from): EventBody => ({
          type: 'inspected-pairs',
          from,
          total: pairs.length,
          rows: pairs.slice(from, from + PART),
        }))
      : []),
    { type: 'result', kind: 'reward-inspection', value: inspectPairs(rows) },
    { type: 'finished', outcome: 'done' },
  ];
};

/** A finished run with an inspection of these pairs; `inputs`: what it was made from. */
export async function inspectedRun(
  store: StoreClient,
  rows: readonly ScoredRow[],
  {
    name = 'judge',
    inputs = [],
    withPairs = true,
  }: {
    readonly name?: string;
    readonly inputs?: readonly RunInput[];
    readonly withPairs?: boolean;
  } = {},
): Promise<{ runId: string; inspection: RewardInspection }> {
  const { id: runId } = await store.runs.create(parsedSpec({ name }), inputs);
  await store.runs.beginAttempt(runId, null);
  const events = inspectionEvents(rows, withPairs).map((body, at): EngineEvent => ({
    runId,
    attempt: 1,
    role: 'reward',
    step: 1,
    sequence: at + 1,
    at: 0,
    ...body,
  }));
  await store.events.commit(events);
  return { runId, inspection: inspectPairs(rows) };
}
