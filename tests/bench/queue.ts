import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../main/services/config.ts';
import { openServices } from '../../main/headless/open.ts';

/** A policy of 0.4 M parameters on the toy world: long enough that starting a process matters little. */
const spec = (name: string, steps: number) => ({
  name,
  method: { id: 'sft' },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 96, layers: 3, heads: 4, context: 64 },
      tokenizer: { kind: 'characters' },
    },
  },
  task: { kind: 'world', id: 'toy/copy' },
  budget: { steps, batch: 32 },
  evaluation: { problems: 0 },
});

/**
 * Time of two equal runs, one after the other and at once, from the first launch to the last end, in seconds;
 * `engineMb` is the largest sum of the resident memory that their engines reported, in MB.
 */
export async function measureQueue({ steps }: { readonly steps: number }): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), 'whetstone-bench-'));
  const bench = await openServices({
    workspacePath: join(home, 'workspace'),
    create: true,
    config: new Config(join(home, 'config')),
  });
  try {
    const figures = [];
    for (const atOnce of [1, 2, 1, 2]) {
      await bench.api.queue.setAtOnce({ atOnce });
      const began = performance.now();
      const ids: string[] = [];
      for (const name of ['first', 'second'])
        ids.push((await bench.api.runs.launch({ spec: spec(name, steps) })).runId);
      for (const id of ids) await bench.waitForRun(id);
      const seconds = (performance.now() - began) / 1000;
      const peaks = await Promise.all(
        ids.map(async (id) => {
          const found = await bench.services.store.metrics.series({
            runIds: [id],
            names: ['system/memory_mb'],
            from: 0,
            to: null,
            points: 2000,
          });
          return Math.max(...(found[0]?.values ?? [0]));
        }),
      );
      const engineMb = atOnce === 1 ? Math.max(...peaks) : peaks[0] + peaks[1];
      figures.push({ atOnce, seconds, engineMb });
      console.error(`${atOnce} at once: ${seconds.toFixed(1)} s, ${engineMb.toFixed(0)} MB`);
    }
    return { cores: availableParallelism(), steps, figures };
  } finally {
    await bench.close();
    rmSync(home, { recursive: true, force: true });
  }
}
