import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openModelFolder, readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { openTextScorer } from '../../../engine/rl/judges.ts';
import { runToEnd } from '../../../engine/rl/train.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';
import { recorder } from '../../support/toy-run.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Runs a spec on a model folder; answers with the folder of its last checkpoint. */
const run = async (folder: string, model: string, own: Pick<RunSpecInput, 'method' | 'task' | 'rewards'>, { prompts = 'auto', attempt = 1, stopAfter = Infinity, resumeFrom }: {
  prompts?: 'auto' | 'plain'; attempt?: number; stopAfter?: number; resumeFrom?: string;
} = {}): Promise<string> => {
  const spec = checkSpec({
    ...own, models: { policy: { kind: 'model', modelId: 'm', prompts } }, budget: { steps: 4, batch: 4 }, sampling: { maxTokens: 4 }, evaluation: { problems: 4, samples: 2 },
    optimizer: { learningRate: 1e-3, schedule: 'constant' },
  });
  const { seen, events } = recorder(), stop = new AbortController();
  await runToEnd({ runId: 'r', attempt, spec, resources: { checkpoints: { m: model }, datasets: {}, preferences: {} }, outDir: folder, resumeFrom }, {
    emit: async (body, at) => {
      await events.emit(body, at);
      if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
    },
  }, stop.signal, device);
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('nothing was saved');
  return saved.checkpoint.path;
};

const settings = { vocab_size: 430 };
const copy = { kind: 'world', id: 'toy/copy' } as const, pairs = { kind: 'world', id: 'toy/pairs' } as const;

describe.each<[string, Pick<RunSpecInput, 'method' | 'task' | 'rewards'>]>([
  ['sft', { method: { id: 'sft' }, task: copy }], ['dpo', { method: { id: 'dpo' }, task: pairs }], ['grpo', { method: { id: 'grpo', params: { size: 4 } }, task: copy, rewards: [{ id: 'length' }] }],
])('%s on a model folder', (_, own) => {
  it('trains it, and saves it as it came: type of the weights, configuration and tokenizer files', async () => {
    const folder = temporaryFolder(), model = writeModelFolder(join(folder, 'model'), { settings, dtype: 'BF16' });
    // tokens that end an answer are many here, so that random answers differ in length
    await writeFile(join(model, 'generation_config.json'), JSON.stringify({ eos_token_id: Array.from({ length: 100 }, (_, i) => i + 2) }));
    const saved = await run(join(folder, 'run'), model, own);
    for (const name of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json']) expect((await readFile(join(saved, name))).equals(await readFile(join(model, name)))).toBe(true);
    expect(JSON.parse(await readFile(join(saved, 'config.json'), 'utf8'))).toEqual(JSON.parse(await readFile(join(model, 'config.json'), 'utf8')));
    const [before, after] = [await openModelFolder(model), await readCheckpoint(saved)];
    expect(new Set(after.model.origin!.dtypes.values())).toEqual(new Set(['BF16']));
    expect(after.model.config).toEqual(before.model.config);
    const moved = after.model.parameters.flat.filter((x, i) => x !== before.model.parameters.flat[i]).length;
    expect(moved).toBeGreaterThan(1000);
  });
});

describe('a model folder', () => {
  it('continues with the same bits, though its weights are saved in halves', async () => {
    const folder = temporaryFolder(), model = writeModelFolder(join(folder, 'model'), { settings, dtype: 'F16' }), sft = { method: { id: 'sft' }, task: copy };
    const whole = await run(join(folder, 'whole'), model, sft);
    const first = await run(join(folder, 'parts'), model, sft, { stopAfter: 2 });
    const second = await run(join(folder, 'parts'), model, sft, { attempt: 2, resumeFrom: first });
    const [a, b] = [await readCheckpoint(whole), await readCheckpoint(second)];
    expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
    expect(b.optimizer).toEqual(a.optimizer);
  });

  it('becomes a reward model in the form of its architecture, which scores as it was trained', async () => {
    const folder = temporaryFolder(), model = writeModelFolder(join(folder, 'model'), { model: 'qwen3', settings });
    const saved = await run(join(folder, 'run'), model, { method: { id: 'bradley-terry' }, task: pairs });
    expect(JSON.parse(await readFile(join(saved, 'config.json'), 'utf8'))).toMatchObject({ architectures: ['Qwen3ForSequenceClassification'], id2label: { 0: 'reward' }, model_type: 'qwen3' });
    const scorer = await openTextScorer(device, saved);
    const rows = ['a', 'b c'].map((completion) => ({ promptId: 'p', prompt: 'x', completion, tokens: 1, stopReason: 'end' as const }));
    expect((await scorer.score(rows)).every(Number.isFinite)).toBe(true);
  });

  it('puts prompts as it was told, and its checkpoint keeps to it', async () => {
    const folder = temporaryFolder(), model = writeModelFolder(join(folder, 'model'), { settings }), sft = { method: { id: 'sft' }, task: copy };
    expect((await openModelFolder(await run(join(folder, 'chat'), model, sft))).tokenizer.prompt).toBeDefined();
    expect((await openModelFolder(await run(join(folder, 'plain'), model, sft, { prompts: 'plain' }))).tokenizer.prompt).toBeUndefined();
  });
});
