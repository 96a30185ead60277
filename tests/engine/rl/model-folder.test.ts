import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openModelFolder, readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { openTextScorer } from '../../../engine/rl/evaluation/model-scorers.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';
import { recorder } from '../../support/toy-run.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Runs a spec on a model folder; returns the folder of its last checkpoint. */
const run = async (
  folder: string,
  model: string,
  own: Pick<RunSpecInput, 'method' | 'task' | 'rewards'>,
  {
    prompts = 'auto',
    attempt = 1,
    stopAfter = Infinity,
    resumeFrom,
    learningRate = 1e-3,
  }: {
    prompts?: 'auto' | 'plain';
    learningRate?: number;
    attempt?: number;
    stopAfter?: number;
    resumeFrom?: string;
  } = {},
): Promise<string> => {
  const spec = checkSpec({
    ...own,
    models: { policy: { kind: 'model', modelId: 'm', prompts } },
    budget: { steps: 4, batch: 4 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 4, samples: 2 },
    optimizer: { learningRate, schedule: 'constant' },
  });
  const { seen, events } = recorder();
  const stop = new AbortController();
  await runToEnd(
    {
      runId: 'r',
      attempt,
      spec,
      resources: { checkpoints: { m: model }, datasets: {}, preferences: {} },
      outDir: folder,
      resumeFrom,
    },
    {
      emit: async (body, at) => {
        await events.emit(body, at);
        if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
      },
    },
    stop.signal,
    device,
  );
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('nothing was saved');
  return saved.checkpoint.path;
};

const settings = { vocab_size: 430 };
const copy = { kind: 'world', id: 'toy/copy' } as const;
const pairs = { kind: 'world', id: 'toy/pairs' } as const;

describe.each<[string, Pick<RunSpecInput, 'method' | 'task' | 'rewards'>]>([
  ['sft', { method: { id: 'sft' }, task: copy }],
  ['dpo', { method: { id: 'dpo' }, task: pairs }],
  ['grpo', { method: { id: 'grpo', params: { groupSize: 4 } }, task: copy, rewards: [{ id: 'length' }] }],
])('%s on a model folder', (_, own) => {
  it(
    'trains it, and saves it as float32 with its configuration and tokenizer files, so rounding loses ' +
      'no small update',
    async () => {
      const folder = temporaryFolder();
      const model = writeModelFolder(join(folder, 'model'), {
        settings: { ...settings, torch_dtype: 'bfloat16' },
        dtype: 'BF16',
      });
      // with many end tokens, random answers differ in length
      await writeFile(
        join(model, 'generation_config.json'),
        JSON.stringify({ eos_token_id: Array.from({ length: 100 }, (_, i) => i + 2) }),
      );
      const saved = await run(join(folder, 'run'), model, own);
      for (const name of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json'])
        expect((await readFile(join(saved, name))).equals(await readFile(join(model, name)))).toBe(true);
      const configOf = async (path: string) =>
        JSON.parse(await readFile(join(path, 'config.json'), 'utf8')) as object;
      expect(await configOf(saved)).toEqual({ ...(await configOf(model)), torch_dtype: 'float32' });
      const [before, after] = [await openModelFolder(model), await readCheckpoint(saved)];
      expect(new Set(after.model.origin!.dtypes.values())).toEqual(new Set(['F32']));
      expect(after.model.config).toEqual(before.model.config);
      const moved = after.model.parameters.flat.filter(
        (x, i) => x !== before.model.parameters.flat[i],
      ).length;
      expect(moved).toBeGreaterThan(1000);
    },
  );
});

describe('a model folder', () => {
  it('continues with the same bits, although it was stored in half precision', async () => {
    const folder = temporaryFolder();
    const model = writeModelFolder(join(folder, 'model'), { settings, dtype: 'F16' });
    const sft = { method: { id: 'sft' }, task: copy };
    const whole = await run(join(folder, 'whole'), model, sft);
    const first = await run(join(folder, 'parts'), model, sft, { stopAfter: 2 });
    const second = await run(join(folder, 'parts'), model, sft, { attempt: 2, resumeFrom: first });
    const [a, b] = [await readCheckpoint(whole), await readCheckpoint(second)];
    expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
    expect(b.optimizer).toEqual(a.optimizer);
  });

  it.each<[string, Pick<RunSpecInput, 'method' | 'task' | 'rewards'>]>([
    ['trained on demonstrations', { method: { id: 'sft' }, task: copy }],
    ['sampled for answers', { method: { id: 'grpo', params: { groupSize: 4 } }, task: copy }],
    [
      'as a judge of answers',
      { method: { id: 'outcome-verifier' }, task: { kind: 'world', id: 'toy/pairs' } },
    ],
    [
      'as a judge on its features',
      { method: { id: 'bradley-terry' }, task: { kind: 'world', id: 'toy/pairs' } },
    ],
  ])('with NaN among its weights stops the run at its step and reports the tensor: %s', async (_, own) => {
    const folder = temporaryFolder();
    const model = writeModelFolder(join(folder, 'model'), { settings });
    const path = join(model, 'model.safetensors');
    const tensor = 'model.layers.1.mlp.up_proj.weight';
    const bytes = await readFile(path);
    const header = 8 + Number(bytes.readBigUInt64LE(0));
    const { [tensor]: entry } = JSON.parse(bytes.subarray(8, header).toString()) as Record<
      string,
      { data_offsets: [number, number] }
    >;
    bytes.writeFloatLE(NaN, header + entry.data_offsets[0]);
    await writeFile(path, bytes);
    await expect(run(join(folder, 'run'), model, own)).rejects.toMatchObject({
      kind: 'numeric',
      where: expect.stringMatching(new RegExp(`^step \\d, tensor ${tensor}$`)),
    });
  });

  it('in half precision keeps updates far too small for a half-precision sum', async () => {
    const folder = temporaryFolder();
    const model = writeModelFolder(join(folder, 'model'), { settings, dtype: 'BF16' });
    const before = (await openModelFolder(model)).model.parameters.flat;
    const { model: after } = await openModelFolder(
      await run(join(folder, 'run'), model, { method: { id: 'sft' }, task: copy }, { learningRate: 1e-7 }),
    );
    // four steps of AdamW move a parameter by about 4e-7; next to 0.1 the next bfloat16 is 5e-4 away
    const moved = after.parameters.flat.filter(
      (x, i) => x !== before[i] && Math.abs(x - before[i]) < 1e-5,
    ).length;
    expect(moved).toBeGreaterThan(after.parameters.size / 10);
  });

  it('is saved bit for bit if nothing trains it', async () => {
    const folder = temporaryFolder();
    const model = writeModelFolder(join(folder, 'model'), { settings, dtype: 'BF16' });
    const saved = await run(join(folder, 'run'), model, { method: { id: 'sample' }, task: copy });
    for (const name of ['model.safetensors', 'config.json'])
      expect((await readFile(join(saved, name))).equals(await readFile(join(model, name)))).toBe(true);
  });

  it('becomes a reward model in its architecture’s format, with the same scores as in training', async () => {
    const folder = temporaryFolder();
    const model = writeModelFolder(join(folder, 'model'), { model: 'qwen3', settings });
    const saved = await run(join(folder, 'run'), model, { method: { id: 'bradley-terry' }, task: pairs });
    expect(JSON.parse(await readFile(join(saved, 'config.json'), 'utf8'))).toMatchObject({
      architectures: ['Qwen3ForSequenceClassification'],
      id2label: { 0: 'reward' },
      model_type: 'qwen3',
    });
    const scorer = await openTextScorer(device, saved);
    const rows = ['a', 'b c'].map((completion) => ({
      promptId: 'p',
      prompt: 'x',
      completion,
      tokens: 1,
      stopReason: 'end' as const,
    }));
    expect((await scorer.score(rows)).every(Number.isFinite)).toBe(true);
  });

  it('formats prompts with the given template, and its checkpoint keeps that template', async () => {
    const folder = temporaryFolder();
    const model = writeModelFolder(join(folder, 'model'), { settings });
    const sft = { method: { id: 'sft' }, task: copy };
    expect(
      (await openModelFolder(await run(join(folder, 'chat'), model, sft))).tokenizer.prompt,
    ).toBeDefined();
    expect(
      (await openModelFolder(await run(join(folder, 'plain'), model, sft, { prompts: 'plain' }))).tokenizer
        .prompt,
    ).toBeUndefined();
  });
});
