import type { EngineEvent } from '../../engine/schema/messages.ts';
import { openStore, type StoreClient } from '../../main/store/client.ts';
import { parsedSpec } from '../support/workspace.ts';
import { metric, type Stored } from '../support/stored-curves.ts';

/** Metrics of a written event, and events of a commit: as the engine's host commits them. */
const [metrics, events] = [64, 64];

/** Writes of a workspace while its curves are read. */
export interface Written {
  readonly writesPerSecond: number;
  /** Median time of reading one window of all runs meanwhile, and the number of windows read. */
  readonly readMs: number;
  readonly reads: number;
}

/** Commits points of one run for some seconds, while windows of all curves are read one after the other. */
export async function measureWriting(
  folder: string,
  { ids }: Stored,
  points: number,
  seconds: number,
): Promise<Written> {
  const store = await openStore({ folder, create: false });
  try {
    const { client } = store;
    const { id: runId } = await client.runs.create(parsedSpec(), []);
    const attempt = await client.runs.beginAttempt(runId, null);
    const times: number[] = [];
    let isOver = false;
    const reading = (async () => {
      for (let turn = 0; !isOver; turn += 1)
        times.push(await timed(() => readWindow(client, ids, points, turn)));
    })();
    const start = performance.now();
    let sequence = 0;
    while (performance.now() - start < 1000 * seconds) {
      await client.events.commit(
        Array.from({ length: events }, () => event(runId, attempt, (sequence += 1))),
      );
    }
    const took = (performance.now() - start) / 1000;
    isOver = true;
    await reading;
    times.sort((a, b) => a - b);
    return {
      writesPerSecond: Math.round((sequence * metrics) / took),
      readMs: Math.round(times[times.length >> 1] ?? Number.NaN),
      reads: times.length,
    };
  } finally {
    await store.close();
  }
}

const event = (runId: string, attempt: number, sequence: number): EngineEvent => ({
  runId,
  attempt,
  role: 'policy',
  step: sequence,
  sequence,
  at: Date.now(),
  type: 'metrics',
  values: Object.fromEntries(
    Array.from({ length: metrics }, (_none, i) => [`metric/${i}`, Math.sin(sequence + i)]),
  ),
});

/** The whole and ever smaller windows, in turn. */
async function readWindow(
  client: StoreClient,
  ids: readonly string[],
  points: number,
  turn: number,
): Promise<void> {
  const span = points / 4 ** (turn % 6);
  const from = ((turn * 0.37) % 1) * (points - span);
  await client.metrics.series({ runIds: ids, names: [metric], from, to: from + span, points: 2048 });
}

async function timed(action: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}
