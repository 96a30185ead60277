import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openServices } from '../headless/open.ts';
import { presets } from '../plans/presets/index.ts';
import type { PlanPreset } from '../plans/presets/preset.ts';
import { runWhole, type Log } from '../plans/whole.ts';
import { Config } from '../services/config.ts';

/**
 * `npm run samples [-- --again]`: runs the samples of Home to their ends and keeps their workspace in
 * dist/samples, which ships. Samples that are there already are kept, unless `--again` is given.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Those of the plans that ship that are samples. */
export const samplePlans = (): PlanPreset[] => presets.filter(({ sample }) => sample !== undefined);

/**
 * Runs plans one after the other in a new workspace, and copies what they made into `folder`, which must not
 * exist: it holds all of them, or it does not exist. Throws the error of a run that fails.
 */
export async function makeSamples(
  folder: string,
  plans: readonly Pick<PlanPreset, 'title' | 'plan'>[],
  log: Log,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'whetstone-samples-'));
  try {
    const bench = await openServices({
      workspacePath: join(home, 'samples'),
      create: true,
      config: new Config(join(home, 'config')),
    });
    try {
      await bench.api.workspaces.rename({ name: 'Samples' });
      for (const { title, plan } of plans) {
        const start = performance.now();
        await runWhole(bench, plan, { log: () => undefined });
        log(`${title}: ${Math.round((performance.now() - start) / 1000)} s`);
      }
      const { bytes } = await bench.api.workspaces.backup({ path: folder });
      log(`${(bytes / 1e6).toFixed(1)} MB`);
    } finally {
      await bench.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { again: { type: 'boolean', default: false } } });
  const folder = join(root, 'dist/samples');
  if (values.again) rmSync(folder, { recursive: true, force: true });
  if (existsSync(folder)) console.log('dist/samples is there already; --again makes it anew.');
  else await makeSamples(folder, samplePlans(), console.log);
}
