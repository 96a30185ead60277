import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { inspectModel } from '../../../engine/models/inspect.ts';
import { storedTensors } from '../../../engine/models/model.ts';
import { encodeSafetensors, type StoredTensor } from '../../../engine/models/weights/safetensors.ts';
import { rejected } from '../../support/errors.ts';
import { familyOracle, formulaModelOf } from '../../support/families.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';

type Tensors = Record<string, StoredTensor>;
const tensorsOf = (model: string, settings: object = {}): Tensors =>
  storedTensors(
    formulaModelOf({
      ...[...familyOracle.cases, ...familyOracle.rewards].find(({ name }) => name === model)!.config,
      ...settings,
    }),
  );

/** A folder whose weight file contradicts its configuration. */
const folderWith = (model: string, change: (tensors: Tensors) => Tensors, settings: object = {}): string => {
  const folder = writeModelFolder(join(temporaryFolder(), 'model'), { model, settings, tokenizer: 'qwen2' });
  writeFileSync(join(folder, 'model.safetensors'), encodeSafetensors(change(tensorsOf(model, settings))));
  return folder;
};
const withHead =
  (of: string, change: (x: number) => number, dtype: StoredTensor['dtype'] = 'F32') =>
  (tensors: Tensors): Tensors => ({
    ...tensors,
    'lm_head.weight': { ...tensors[of], data: Float32Array.from(tensors[of].data, change), dtype },
  });

/** The error both for adding and for opening the folder. */
const refusal = async (folder: string): Promise<unknown> => {
  const [added, opened] = [await rejected(inspectModel(folder)), await rejected(readModelFolder(folder))];
  expect(added).toMatchObject({
    kind: (opened as { kind: string }).kind,
    message: (opened as Error).message,
  });
  return added;
};

describe('an output matrix next to a tied embedding', () => {
  it.each([
    ['Llama that says so', 'llama tied', 'model.embed_tokens.weight', {}],
    [
      'Gemma 2 that omits the setting',
      'gemma 2',
      'model.embed_tokens.weight',
      { tie_word_embeddings: undefined },
    ],
    ['GPT-2', 'gpt2 lm', 'transformer.wte.weight', {}],
  ])('is ignored if equal to the embedding, and rejected otherwise: %s', async (_, model, of, settings) => {
    const name = model === 'gpt2 lm' ? 'gpt2' : model;
    const all = model === 'gpt2 lm' ? { ...settings, architectures: ['GPT2LMHeadModel'] } : settings;
    const same = await readModelFolder(
      folderWith(
        name,
        withHead(of, (x) => x),
        all,
      ),
    );
    const plain = tensorsOf(name, all);
    expect(same.parameters.view(of)).toEqual(plain[of].data);
    expect(
      await refusal(
        folderWith(
          name,
          withHead(of, (x) => x + 1e-7),
          all,
        ),
      ),
    ).toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('lm_head.weight') as string,
      hint: expect.stringContaining('tie_word_embeddings') as string,
    });
  });

  it('is compared by value if its type differs, and rejected if its shape differs', async () => {
    const of = 'model.embed_tokens.weight';
    const rounded = (tensors: Tensors): Tensors => ({
      ...tensors,
      [of]: { ...tensors[of], data: tensors[of].data.map((x) => Math.round(x * 64) / 64) },
    });
    await readModelFolder(
      folderWith('llama tied', (tensors) => withHead(of, (x) => x, 'BF16')(rounded(tensors))),
    );
    expect(
      await refusal(
        folderWith('llama tied', (tensors) => ({
          ...tensors,
          'lm_head.weight': { shape: [2, 64], data: tensors[of].data.subarray(0, 128) },
        })),
      ),
    ).toMatchObject({ kind: 'unsupported' });
  });

  it('is reported as missing if the configuration states, or implies by default, that it is untied', async () => {
    const missing = folderWith('llama tied', ({ 'lm_head.weight': _, ...tensors }) => tensors, {
      tie_word_embeddings: false,
    });
    expect(await refusal(missing)).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('lm_head.weight') as string,
      hint: expect.stringContaining('tie_word_embeddings') as string,
    });
  });
});

describe('a tensor that no part of the model reads', () => {
  const zeros = (length: number): StoredTensor => ({ shape: [length], data: new Float32Array(length) });

  it.each([
    [
      'a bias that the configuration disables',
      'llama tied',
      'model.layers.0.self_attn.q_proj.bias',
      'attention_bias',
    ],
    ['a bias of the gated network', 'mistral', 'model.layers.1.mlp.up_proj.bias', 'mlp_bias'],
    ['a norm of heads', 'qwen2', 'model.layers.0.self_attn.q_norm.weight', 'config.json'],
    [
      'one layer more than the configuration has',
      'llama tied',
      'model.layers.2.input_layernorm.weight',
      'config.json',
    ],
    ['a buffer’s namesake', 'gpt2', 'transformer.extra.attn.bias', 'bias'],
  ])('is rejected by name: %s', async (_, model, name, hint) => {
    expect(await refusal(folderWith(model, (tensors) => ({ ...tensors, [name]: zeros(64) })))).toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining(name) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it('is rejected if one shard contains it and the index does not list it', async () => {
    const folder = folderWith('llama tied', (tensors) => tensors);
    const { 'model.norm.weight': norm, ...others } = tensorsOf('llama tied');
    const shards = join(folder, 'sharded');
    mkdirSync(shards);
    writeFileSync(join(shards, 'config.json'), readFileSync(join(folder, 'config.json')));
    writeFileSync(join(shards, 'a.safetensors'), encodeSafetensors(others));
    writeFileSync(
      join(shards, 'b.safetensors'),
      encodeSafetensors({ 'model.norm.weight': norm, 'lm_head.weight': zeros(64) }),
    );
    writeFileSync(
      join(shards, 'model.safetensors.index.json'),
      JSON.stringify({
        weight_map: {
          ...Object.fromEntries(Object.keys(others).map((name) => [name, 'a.safetensors'])),
          'model.norm.weight': 'b.safetensors',
        },
      }),
    );
    expect(await rejected(readModelFolder(shards))).toMatchObject({
      kind: 'invalid-input',
      where: expect.stringContaining('lm_head.weight') as string,
    });
  });
});
