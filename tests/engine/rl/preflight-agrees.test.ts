/** An estimate succeeds whenever its run would. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { needOf, preflight } from '../../../engine/rl/tools/preflight.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lastCheckpoint, noResources, runInto, toyModel } from '../../support/toy-run.ts';

const spec = (own: object = {}) =>
  checkSpec({
    method: { id: 'grpo' },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 4, batch: 8 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 8, samples: 2 },
    ...own,
  });

it('estimates a run whose judge lacks characters of the placeholder answers', async () => {
  const folder = temporaryFolder();
  const bytes = { policy: { ...toyModel.policy, tokenizer: { kind: 'bytes' } } };
  const toy = { kind: 'world', id: 'toy/pairs' } as const;
  const judge = await runInto(
    await openDevice({ id: 'cpu', threads: 1 }),
    spec({
      method: { id: 'bradley-terry', params: { trunk: 'trained' } },
      task: toy,
      budget: { steps: 1, batch: 2 },
    }),
    folder,
  );
  const resources = { ...noResources, checkpoints: { judge: lastCheckpoint(judge.seen) } };
  const reward = { id: 'reward-model', params: { checkpointId: 'judge' } };
  for (const rewards of [[reward], [{ id: 'par', params: { reward } }]])
    expect((await needOf(spec({ models: bytes, task: toy, rewards }), resources)).totalBytes).toBeGreaterThan(
      0,
    );
});

it('suggests remedies for a model that came with an adapter, where another adapter would be a conflict', async () => {
  const folder = temporaryFolder();
  const device = await openDevice({ id: 'cpu', threads: 1 });
  const short = { method: { id: 'sft' }, budget: { steps: 1, batch: 2 } };
  const begun = async (name: string, own: object, checkpoints: Readonly<Record<string, string>> = {}) =>
    lastCheckpoint(
      (
        await runInto(device, spec({ ...short, ...own }), join(folder, name), {
          resources: { ...noResources, checkpoints },
        })
      ).seen,
    );
  const from = (checkpointId: string) => ({ models: { policy: { kind: 'checkpoint', checkpointId } } });
  const start = await begun('start', {});
  const checkpoints = {
    start,
    adapter: await begun('adapter', { ...from('start'), adapter: { kind: 'lora', rank: 2 } }, { start }),
  };
  const limits = { resources: { ...noResources, checkpoints }, limitBytes: 1e6 };
  for (const adapter of [{ kind: 'none' }, { kind: 'lora', rank: 2 }]) {
    const found = await preflight({
      spec: spec({ ...from('adapter'), adapter, budget: { steps: 4, batch: 256 } }),
      ...limits,
    });
    expect(found.fits).toBe(false);
    expect(found.remedies.map(({ path }) => path[0])).not.toContain('adapter');
    expect(found.remedies.length).toBeGreaterThan(0);
  }
});
