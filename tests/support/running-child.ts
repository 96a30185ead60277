/**
 * Runs a long job on the stand-in engine and prints the engine's pid and each step shown to the page, until
 * it is killed. Argument: workspace.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Config } from '../../main/services/config.ts';
import { forkEngine } from '../../main/engine-host/channel.ts';
import { openServices } from '../../main/headless/open.ts';

const [workspacePath] = process.argv.slice(2);
const standIn = fileURLToPath(new URL('./engine-stand-in.ts', import.meta.url));
const { api, services } = await openServices({
  workspacePath,
  create: true,
  config: new Config(join(dirname(workspacePath), 'config')),
  spawnEngine: forkEngine(standIn, ['slow']),
});
const { runId } = await api.runs.launch({
  spec: {
    method: { id: 'sft' },
    task: { kind: 'world', id: 'toy/copy' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 32 },
        tokenizer: { kind: 'characters' },
      },
    },
    budget: { steps: 10_000, batch: 8 },
    evaluation: { problems: 0 },
  },
});
for await (const { run } of api.runs.live({ runId }, new AbortController().signal))
  process.stdout.write(`${services.engine.runnerOf()} ${run.step}\n`);
