import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { exportCurves, importLogs } from '../../../main/logs/index.ts';
import type { LogPoints } from '../../../main/store/imported/points.ts';
import { openStore } from '../../../main/store/client.ts';
import { peakMb, residentMb, serve } from './serve.ts';

const metrics = ['loss', 'grad_norm', 'rewards/margins', 'rewards/accuracies'];
const facts = { lastStep: 0, totalSteps: null, startedAt: null, endedAt: null, notFinite: null };

await serve({
  /** Writes runs of so many points of four metrics, as files of both formats below a folder. */
  make: async ({ points, folder }: { points: number; folder: string }) => {
    const source = join(folder, 'source');
    mkdirSync(source);
    const store = await openStore({ folder: source, create: true });
    const steps = Float64Array.from({ length: points / metrics.length }, (_none, i) => i);
    const all = metrics.map((name, k): LogPoints => ({
      name,
      steps,
      at: steps.map((step) => 1_700_000_000_000 + 10 * step),
      values: steps.map((step) => Math.sin(step * (k + 1))),
    }));
    const { importedRuns } = store.client;
    const id = await importedRuns.stage('made');
    await importedRuns.append(id, all);
    const origin = {
      tool: 'verl',
      path: '',
      hash: '',
      points,
      repeated: 0,
      skipped: [],
      damage: null,
      renamed: {},
    };
    await importedRuns.finish([
      { ...facts, id, name: 'made', config: null, origin: { ...origin, tool: 'verl' } },
    ]);
    for (const format of ['tensorboard', 'wandb'] as const)
      await exportCurves(
        store.client,
        { runIds: [id], format, path: join(folder, format) },
        new AbortController().signal,
        () => undefined,
      );
    await store.close();
  },
  /** Imports the logs of a folder into a new workspace. */
  read: async ({ path, folder }: { path: string; folder: string }) => {
    mkdirSync(folder);
    const store = await openStore({ folder, create: true });
    const loaded = residentMb();
    const start = performance.now();
    const { runs } = await importLogs(store.client, { path }, new AbortController().signal, () => undefined);
    const seconds = (performance.now() - start) / 1000;
    await store.close();
    return { seconds, peakMb: peakMb(loaded), points: runs[0].imported?.points ?? 0 };
  },
});
