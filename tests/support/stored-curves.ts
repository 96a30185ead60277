import { openStore, type StoreClient } from '../../main/store/client.ts';
import { createFolder } from '../../main/store/folder.ts';

/** Runs of a workspace, each with one spike. */
export interface Stored {
  readonly ids: readonly string[];
  readonly spikes: readonly number[];
}

const part = 65_536;
export const metric = 'loss';
export const spike = 40;

/** A step of each run, at no regular place, whose value is the spike. */
const spikeOf = (run: number, points: number): number => Math.floor(uniform(7 * run + 1)() * points);

/** Stores runs of noisy curves by the store's own way for imported logs, which packs points as runs do. */
export async function storeCurves(folder: string, runs: number, points: number): Promise<Stored> {
  const opened = await createFolder(folder);
  try {
    const { importedRuns } = opened.store;
    const ids: string[] = [];
    for (let run = 0; run < runs; run += 1) {
      const id = await importedRuns.stage('bench');
      ids.push(id);
      const draw = uniform(run);
      for (let from = 0; from < points; from += part)
        await importedRuns.append(id, [
          curvePart(run, from, Math.min(points, from + part), { draw, points }),
        ]);
      await importedRuns.finish([
        {
          id,
          name: `run ${String(run).padStart(2, '0')}`,
          lastStep: points,
          totalSteps: points,
          startedAt: 0,
          endedAt: points,
          notFinite: null,
          origin: {
            tool: 'tensorboard',
            path: 'bench',
            hash: `bench ${run}`,
            points,
            repeated: 0,
            skipped: [],
            damage: null,
            renamed: {},
          },
          config: null,
        },
      ]);
    }
    return { ids, spikes: ids.map((_id, run) => spikeOf(run, points)) };
  } finally {
    await opened.close();
  }
}

function curvePart(
  run: number,
  from: number,
  to: number,
  { draw, points }: { draw: () => number; points: number },
) {
  const length = to - from;
  const steps = Float64Array.from({ length }, (_none, i) => from + i + 1);
  const high = spikeOf(run, points);
  const values = steps.map((step) =>
    step === high
      ? spike
      : 1 + run / 20 + 4 * Math.exp((-6 * step) / points) + (draw() - 0.5) * (1 + (run % 5)),
  );
  return { name: metric, steps, at: steps.map((step) => step * 10), values };
}

/** Runs whose spike a window around it does not show, at all zooms from the whole to ten steps. */
export async function lostSpikes(folder: string, { ids, spikes }: Stored, points: number): Promise<number> {
  const store = await openStore({ folder, create: false });
  try {
    let lost = 0;
    for (let span = 2 * points; span > 10; span /= 8)
      lost += await lostAt(store.client, { ids, spikes }, span);
    return lost;
  } finally {
    await store.close();
  }
}

async function lostAt({ metrics }: StoreClient, { ids, spikes }: Stored, span: number): Promise<number> {
  let lost = 0;
  for (const [run, id] of ids.entries()) {
    const from = Math.max(0, spikes[run] - span / 3);
    const [series] = await metrics.series({
      runIds: [id],
      names: [metric],
      from,
      to: from + span,
      points: 1024,
    });
    if (Math.max(...(series.high ?? series.values)) !== spike) lost += 1;
  }
  return lost;
}

/** Uniform numbers in [0, 1) by xorshift of 32 bits, quick enough for millions. */
function uniform(seed: number): () => number {
  let state = (seed + 1) * 2_654_435 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
