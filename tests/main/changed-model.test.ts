import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TriedPrompt } from '../../engine/schema/tried-prompt.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeAdapterFolder, writeModelFolder } from '../support/model-folder.ts';
import { rejected } from '../support/errors.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

/** Changes one byte of a folder's weights, keeping their size and modification time. */
const change = (folder: string): void => {
  const path = join(folder, 'model.safetensors');
  const bytes = readFileSync(path);
  const { atimeMs, mtimeMs } = statSync(path);
  bytes[bytes.length - 2] ^= 1;
  writeFileSync(path, bytes);
  utimesSync(path, atimeMs / 1000, mtimeMs / 1000);
};

const bench = async () => {
  const { api, services, waitForRun } = await servicesForTest({ engine: null });
  const folder = writeModelFolder(join(temporaryFolder(), 'model'), { settings: { vocab_size: 430 } });
  const spec = (modelId: string, own: object = {}) => ({
    ...smallSpec(),
    models: { policy: { kind: 'model' as const, modelId } },
    budget: { steps: 2, batch: 2 },
    ...own,
  });
  const tryPrompt = async (from: { kind: 'model' | 'checkpoint'; id: string }): Promise<TriedPrompt> => {
    const answers: TriedPrompt[] = [];
    for await (const answer of api.models.try(
      { from, prompt: 'a b', put: 'plain', temperature: 1, maxTokens: 2, seed: 0 },
      new AbortController().signal,
    ))
      answers.push(answer);
    return answers[0];
  };
  const run = async (given: object) =>
    waitForRun((await api.runs.launch({ spec: given as ReturnType<typeof spec> })).runId);
  return { api, services, waitForRun, folder, spec, tryPrompt, run };
};

describe('a model folder that has changed since it was added', () => {
  it('is rejected wherever it would be opened, and can be added as another model', async () => {
    const { api, folder, spec, tryPrompt, run } = await bench();
    const model = await api.models.add({ path: folder, name: 'first' });
    expect((await run(spec(model.id))).state).toBe('done');
    change(folder);
    const conflict = {
      kind: 'conflict',
      where: folder,
      hint: expect.stringMatching(/add the folder again as a new model.*launch/) as unknown,
    };
    expect(await rejected(run(spec(model.id)))).toMatchObject(conflict);
    const judged = {
      method: { id: 'grpo' },
      models: smallSpec().models,
      rewards: [
        { id: 'implicit-reward', params: { checkpointId: model.id, reference: { checkpointId: model.id } } },
      ],
    };
    expect(await rejected(run(spec(model.id, judged)))).toMatchObject(conflict);
    const estimated = async () => {
      for await (const progress of api.runs.preflight(
        { spec: spec(model.id), dryRun: false },
        new AbortController().signal,
      ))
        expect(progress).toBeUndefined();
    };
    expect(await rejected(estimated())).toMatchObject(conflict);
    expect(await rejected(tryPrompt({ kind: 'model', id: model.id }))).toMatchObject(conflict);
    const again = await api.models.add({ path: folder, name: 'second' });
    expect(again.id).not.toBe(model.id);
    expect((await api.models.list({})).map(({ name }) => name)).toEqual(['second', 'first']);
    expect((await run(spec(again.id))).state).toBe('done');
  });

  it('is rejected when a run that started from it is queued or resumed', async () => {
    const { api, services, folder, spec, waitForRun } = await bench();
    const { id } = await api.models.add({ path: folder, name: '' });
    const { runId } = await api.runs.launch({
      spec: spec(id, { budget: { steps: 2000, batch: 2 }, checkpoints: { every: 1, keep: 2 } }),
    });
    while ((await api.runs.checkpoints({ runId })).length === 0)
      await new Promise((done) => {
        setTimeout(done, 50);
      });
    await api.runs.stop({ id: runId });
    await waitForRun(runId);
    expect((await services.store.runs.get(runId)).state).toBe('stopped');
    change(folder);
    await api.runs.resume({ id: runId });
    const run = await waitForRun(runId);
    expect(run).toMatchObject({ state: 'failed', error: { kind: 'conflict', where: folder } });
  });

  it('is rejected as the base of an adapter', async () => {
    const { api, folder, spec, tryPrompt, run } = await bench();
    const { id } = await api.models.add({ path: folder, name: '' });
    const { id: runId } = await run(spec(id, { adapter: { kind: 'lora', rank: 2 } }));
    const [checkpoint] = await api.runs.checkpoints({ runId });
    expect((await tryPrompt({ kind: 'checkpoint', id: checkpoint.id })).tokens.length).toBeGreaterThan(0);
    expect((await api.models.describeCheckpoint({ checkpointId: checkpoint.id })).adapter).toMatchObject({
      base: folder,
      rank: 2,
    });
    change(folder);
    // another model replaces the one in memory
    await tryPrompt({ kind: 'model', id }).catch(() => undefined);
    expect(
      await run({ ...spec(id), models: { policy: { kind: 'checkpoint', checkpointId: checkpoint.id } } }),
    ).toMatchObject({ state: 'failed', error: { kind: 'conflict', where: folder } });
  });

  it('is still the same model if only its modification time changed', async () => {
    const { api, services, folder, spec, run } = await bench();
    const { id } = await api.models.add({ path: folder, name: '' });
    const before = await services.store.models.files(id);
    utimesSync(join(folder, 'model.safetensors'), 1, 1);
    expect((await run(spec(id))).state).toBe('done');
    const after = await services.store.models.files(id);
    expect(after.map(({ sha256 }) => sha256)).toEqual(before.map(({ sha256 }) => sha256));
    expect(after.find(({ path }) => path.endsWith('.safetensors'))?.stamp).not.toBe(
      before.find(({ path }) => path.endsWith('.safetensors'))?.stamp,
    );
  });
});

describe('an adapter in PEFT format', () => {
  it('is added if its base model is listed, generates answers, and can be trained further', async () => {
    const { api, folder, spec, tryPrompt, run } = await bench();
    const path = await writeAdapterFolder(join(temporaryFolder(), 'adapter'), {
      base: folder,
      named: 'owner/tiny',
    });
    expect(await rejected(Promise.resolve(api.models.add({ path, name: '' })))).toMatchObject({
      kind: 'not-found',
      where: path,
      message: expect.stringContaining('owner/tiny') as unknown,
      hint: expect.stringContaining('Add the base model’s folder') as unknown,
    });
    const base = await api.models.add({ path: folder, name: 'owner/tiny' });
    const adapter = await api.models.add({ path, name: '' });
    expect(adapter).toMatchObject({
      name: 'adapter',
      architecture: 'llama',
      folder: path,
      dtypes: ['F32'],
      vocabulary: 430,
      adapter: { base: folder, baseHash: base.hash, rank: 2 },
    });
    expect(adapter.parameters).toBe(base.parameters + adapter.adapter!.parameters);
    const logp = async (id: string) =>
      (await tryPrompt({ kind: 'model', id })).tokens.map((token) => token.logp);
    expect(await logp(adapter.id)).not.toEqual(await logp(base.id));
    const { id: runId, state } = await run(
      spec(adapter.id, { adapter: { kind: 'lora', rank: 2, alpha: 4, targets: ['q_proj', 'v_proj'] } }),
    );
    expect(state).toBe('done');
    const [checkpoint] = await api.runs.checkpoints({ runId });
    expect((await api.models.describeCheckpoint({ checkpointId: checkpoint.id })).adapter).toMatchObject({
      base: folder,
      baseHash: base.hash,
    });
    change(folder);
    expect(await rejected(run(spec(adapter.id)))).toMatchObject({ kind: 'conflict', where: folder });
  });
});
