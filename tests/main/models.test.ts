import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { decodeSafetensors } from '../../engine/models/weights/safetensors.ts';
import { cli as command } from '../support/cli.ts';
import { familyOracle } from '../support/families.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeModelFolder } from '../support/model-folder.ts';
import { rejected } from '../support/errors.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

const cli = (...args: string[]) => command(...args, '--json');

describe('models from folders', () => {
  it('have the logits that Transformers computes, for the last position or for all', async () => {
    const folder = writeModelFolder(join(temporaryFolder(), 'model'));
    const { data, shape } = decodeSafetensors(
      readFileSync(new URL('../support/oracles/families.safetensors', import.meta.url)),
      'x',
    ).get('llama tied')!;
    const [T, V] = [shape[1], shape[2]];
    const tokens = familyOracle.tokens[0].join();
    const near = (found: unknown, from: number) =>
      (found as number[]).forEach((x, i) => {
        expect(Math.abs(x - data[from + i])).toBeLessThan(1e-4);
      });
    const last = await cli('logits', '--model', folder, '--tokens', tokens);
    expect(last.value).toHaveLength(V);
    near(last.value, (T - 1) * V);
    const all = (await cli('logits', '--model', folder, '--tokens', tokens, '--all')).value as number[][];
    expect(all).toHaveLength(T);
    all.forEach((row, t) => {
      near(row, t * V);
    });
    expect(await cli('logits', '--model', folder, '--tokens', '1,999')).toMatchObject({
      code: 1,
      value: { error: { kind: 'invalid-input', where: 'tokens' } },
    });
    expect(await cli('logits', '--model', join(folder, 'nowhere'), '--tokens', '1')).toMatchObject({
      code: 1,
      value: { error: { kind: 'not-found' } },
    });
  });

  it('generate and score text from the command line, and are added, listed and removed', async () => {
    const root = temporaryFolder();
    const workspace = join(root, 'w');
    const settings = { vocab_size: 430 };
    const policy = writeModelFolder(join(root, 'policy'), { settings });
    const reward = writeModelFolder(join(root, 'reward'), { model: 'llama', settings });
    const added = await cli('models', 'add', policy, '--name', 'tiny', '--workspace', workspace);
    expect(added).toMatchObject({
      code: 0,
      value: {
        name: 'tiny',
        architecture: 'llama',
        head: 'next-token',
        dtypes: ['F32'],
        vocabulary: 430,
        context: 64,
        chat: true,
        folder: policy,
      },
    });
    const written = await cli(
      'generate',
      '--model',
      'tiny',
      '--workspace',
      workspace,
      '--prompt',
      '12 * 3',
      '--max-tokens',
      '6',
      '--temperature',
      '0',
    );
    expect(written.value).toEqual(
      (await cli('generate', '12 * 3', '--model', policy, '--max-tokens', '6', '--temperature', '0')).value,
    );
    const chat = await cli(
      'generate',
      '--model',
      policy,
      '--prompt',
      '12 * 3',
      '--chat',
      '--max-tokens',
      '6',
      '--temperature',
      '0',
    );
    expect(chat.value).not.toEqual(written.value);
    const constrained = await cli(
      'generate',
      '12 * 3',
      '--model',
      policy,
      '--samples',
      '8',
      '--max-tokens',
      '24',
      '--top-p',
      '0.9',
      '--json-schema',
      '{"type": "array", "items": {"type": "integer"}}',
      '--guide',
      policy,
      '--guide-weight',
      '1.5',
    );
    for (const { completion } of constrained.value as { completion: string }[])
      expect(JSON.parse(completion)).toEqual(expect.any(Array));
    const likeliest = await cli('generate', '12 * 3', '--model', policy, '--max-tokens', '6', '--top-k', '1');
    expect((likeliest.value as { completion: string }[])[0].completion).toBe(
      (written.value as { completion: string }[])[0].completion,
    );
    const scored = (await cli('score', 'yes', 'no', '--prompt', 'Is it?', '--model', reward)).value as {
      score: number;
    }[];
    expect(new Set(scored.map(({ score }) => score)).size).toBe(2);
    expect(await cli('score', 'yes', '--prompt', 'Is it?', '--model', policy)).toMatchObject({
      code: 1,
      value: { error: { kind: 'unsupported' } },
    });
    const { id } = added.value as { id: string };
    expect((await cli('models', 'list', '--workspace', workspace)).value).toMatchObject([
      { id, name: 'tiny' },
    ]);
    expect((await cli('models', 'remove', id, '--workspace', workspace)).code).toBe(0);
    expect((await cli('models', 'list', '--workspace', workspace)).value).toEqual([]);
  });

  it('are described for checkpoints too, an adapter together with its base model', async () => {
    const { api, waitForRun } = await servicesForTest({ engine: null });
    const budget = { steps: 1, batch: 2 };
    const checkpointOf = async (spec: object) => {
      const { runId } = await api.runs.launch({ spec: { ...smallSpec(), budget, ...spec } });
      expect((await waitForRun(runId)).state).toBe('done');
      return (await api.runs.checkpoints({ runId }))[0];
    };
    const whole = await checkpointOf({});
    const adapter = await checkpointOf({
      models: { policy: { kind: 'checkpoint', checkpointId: whole.id } },
      adapter: { kind: 'lora' },
    });
    const described = await api.models.describeCheckpoint({ checkpointId: adapter.id });
    expect(described).toMatchObject({
      architecture: 'gpt2',
      width: 16,
      layers: 1,
      parameters: adapter.parameters,
      hash: adapter.hash,
    });
    expect(described.parameters).toBeGreaterThan(
      (await api.models.describeCheckpoint({ checkpointId: whole.id })).parameters,
    );
  });

  it('are exported with progress; a cancelled export leaves no files', async () => {
    const { api } = await servicesForTest({ engine: null });
    const root = temporaryFolder();
    const { id } = await api.models.add({
      path: writeModelFolder(join(root, 'model'), { settings: { vocab_size: 430 } }),
      name: '',
    });
    const exported = async (to: string, signal: AbortSignal, hear = (): void => undefined) => {
      const events = [];
      for await (const progress of api.models.export(
        { from: { kind: 'model', id }, to: join(root, to), merge: false, dtype: null },
        signal,
      )) {
        events.push(progress);
        hear();
      }
      return events;
    };
    expect((await exported('out', new AbortController().signal)).at(-1)).toMatchObject({
      result: { path: join(root, 'out'), bytes: expect.toSatisfy(Number.isFinite) as number },
    });
    await exported('none', AbortSignal.abort());
    const controller = new AbortController();
    await exported('half', controller.signal, () => controller.abort());
    await vi.waitFor(
      () => expect(readdirSync(root).filter((name) => name.endsWith('.partial'))).toEqual([]),
      { timeout: 20_000 },
    );
    expect(readdirSync(root)).not.toContain('none');
  }, 60_000);

  it('can start runs; a model that a run started from cannot be removed', async () => {
    const { api, waitForRun } = await servicesForTest({ engine: null });
    const folder = writeModelFolder(join(temporaryFolder(), 'model'), { settings: { vocab_size: 430 } });
    const model = await api.models.add({ path: folder, name: '' });
    expect((await api.models.add({ path: folder, name: 'again' })).id).toBe(model.id);
    const { runId } = await api.runs.launch({
      spec: {
        ...smallSpec(),
        models: { policy: { kind: 'model', modelId: model.id } },
        budget: { steps: 2, batch: 2 },
      },
    });
    const run = await waitForRun(runId);
    expect(run).toMatchObject({ state: 'done', lineage: { models: [model.id], checkpoints: [] } });
    expect(await api.runs.checkpoints({ runId })).toMatchObject([
      { head: 'next-token', parameters: model.parameters },
    ]);
    expect(await rejected(Promise.resolve(api.models.remove({ id: model.id })))).toMatchObject({
      kind: 'conflict',
    });
    expect(
      await rejected(
        Promise.resolve(
          api.runs.launch({
            spec: { ...smallSpec(), models: { policy: { kind: 'model', modelId: 'nobody' } } },
          }),
        ),
      ),
    ).toMatchObject({ kind: 'not-found' });
    writeFileSync(join(folder, 'config.json'), '{}');
    expect(await rejected(Promise.resolve(api.models.add({ path: folder, name: '' })))).toMatchObject({
      kind: 'unsupported',
      where: join(folder, 'config.json'),
    });
  });
});
