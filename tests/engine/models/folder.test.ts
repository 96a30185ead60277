import { cp, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { openModelFolder, readCheckpoint, writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import { readModelFolder, resolveModelFolder } from '../../../engine/models/folder.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { storedTensors, withHead, type Model } from '../../../engine/models/model.ts';
import { inputParameters, parameterFeeds } from '../../../engine/models/symbols.ts';
import { encodeFloats, type FloatType } from '../../../engine/models/weights/dtypes.ts';
import { decodeSafetensors, encodeSafetensors } from '../../../engine/models/weights/safetensors.ts';
import { evaluate, input } from '../../../engine/tensor/index.ts';
import { bytesTokenizer } from '../../../engine/text/bytes.ts';
import { rejected } from '../../support/errors.ts';
import { familyOracle, formulaModelOf } from '../../support/families.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { uniforms } from '../../support/tensors.ts';

const sharded = fileURLToPath(new URL('../../support/oracles/sharded/', import.meta.url));
const shard = (n: number) => `model-0000${n}-of-00003.safetensors`;

/** A folder as Transformers would save it. */
const written = async (folder: string, model: Model, config: object, dtype: FloatType): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const tensors = Object.fromEntries(
    Object.entries(storedTensors(model)).map(([name, tensor]) => [name, { ...tensor, dtype }]),
  );
  await writeFile(join(folder, 'model.safetensors'), encodeSafetensors(tensors));
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
};

describe('a folder with several weight files', () => {
  it('gives the logits that Transformers computed from it', async () => {
    const { tokens, logits } = JSON.parse(await readFile(join(sharded, 'expected.json'), 'utf8')) as {
      tokens: number[];
      logits: number[][];
    };
    const { config, parameters } = await readModelFolder(sharded);
    const lookup = inputParameters(parameters.slots);
    const hidden = forward({
      config,
      parameters: lookup,
      tokens: input('tokens', { dtype: 'int32', shape: [1, tokens.length] }),
    });
    const [found] = evaluate([logitsOf(config, lookup, hidden)], { ...parameterFeeds(parameters), tokens });
    const reference = logits.flat();
    const largest = Math.max(...reference.map(Math.abs));
    found.data.forEach((value, i) => {
      expect(Math.abs(value - reference[i])).toBeLessThan(1e-4 * largest);
    });
  });

  describe('that is broken', () => {
    let folder: string;
    beforeEach(async () => {
      folder = join(temporaryFolder(), 'model');
      await cp(sharded, folder, { recursive: true });
    });

    it('reports a missing or truncated shard', async () => {
      await truncate(join(folder, shard(2)), 4000);
      expect(await rejected(readModelFolder(folder))).toMatchObject({
        kind: 'invalid-input',
        where: expect.stringContaining(shard(2)) as string,
        message: expect.stringMatching(/cut off/) as string,
      });
      await rm(join(folder, shard(2)));
      expect(await rejected(readModelFolder(folder))).toMatchObject({
        kind: 'not-found',
        where: join(folder, shard(2)),
      });
    });

    it('reports a tensor that a shard lacks, an index that omits one, and an index that points outside the folder', async () => {
      const path = join(folder, 'model.safetensors.index.json');
      const index = JSON.parse(await readFile(path, 'utf8')) as { weight_map: Record<string, string> };
      const moved = { ...index.weight_map, 'model.norm.weight': shard(1) };
      await writeFile(path, JSON.stringify({ weight_map: moved }));
      expect(await rejected(readModelFolder(folder))).toMatchObject({
        kind: 'invalid-input',
        where: `${join(folder, shard(1))}, tensor model.norm.weight`,
      });
      delete index.weight_map['model.norm.weight'];
      await writeFile(path, JSON.stringify(index));
      expect(await rejected(readModelFolder(folder))).toMatchObject({
        message: expect.stringMatching(/the index does not say/) as string,
        where: expect.stringContaining('tensor model.norm.weight') as string,
      });
      await writeFile(
        path,
        JSON.stringify({ weight_map: { ...moved, 'model.norm.weight': '../../secret' } }),
      );
      expect(await rejected(readModelFolder(folder))).toMatchObject({ kind: 'invalid-input', where: path });
      await writeFile(path, '{}');
      expect(await rejected(readModelFolder(folder))).toMatchObject({ kind: 'invalid-input', where: path });
    });

    it('reports which file is missing', async () => {
      await rm(join(folder, 'model.safetensors.index.json'));
      expect(await rejected(readModelFolder(folder))).toMatchObject({
        kind: 'not-found',
        where: join(folder, 'model.safetensors'),
      });
      await rm(join(folder, 'config.json'));
      expect(await rejected(readModelFolder(folder))).toMatchObject({
        kind: 'not-found',
        where: join(folder, 'config.json'),
      });
    });

    it('allocates nothing before comparing every shape', async () => {
      const path = join(folder, 'config.json');
      const config = JSON.parse(await readFile(path, 'utf8')) as object;
      await writeFile(
        path,
        JSON.stringify({ ...config, hidden_size: 2 ** 24, head_dim: 2 ** 20, vocab_size: 2 ** 24 }),
      );
      expect(await rejected(readModelFolder(folder))).toMatchObject({
        kind: 'invalid-input',
        where: expect.stringContaining('tensor model.embed_tokens.weight') as string,
      });
    });
  });
});

describe('a round trip', () => {
  const { config } = familyOracle.cases[0];

  it.each<FloatType>(['F32', 'F16', 'BF16'])(
    'keeps every bit of %s weights, their type, and the configuration',
    async (dtype) => {
      const folder = temporaryFolder();
      const loaded = { ...config, torch_dtype: dtype, unknown_setting: [1, { a: null }] };
      await written(join(folder, 'theirs'), formulaModelOf(config), loaded, dtype);
      const model = await readModelFolder(join(folder, 'theirs'));
      await writeCheckpoint(join(folder, 'ours'), { model, tokenizer: bytesTokenizer() });
      expect(await readFile(join(folder, 'ours', 'config.json'), 'utf8')).toBe(
        await readFile(join(folder, 'theirs', 'config.json'), 'utf8'),
      );
      const [before, after] = await Promise.all(
        ['theirs', 'ours'].map((name) => readFile(join(folder, name, 'model.safetensors'))),
      );
      expect(after.equals(before)).toBe(true);
      expect((await readCheckpoint(join(folder, 'ours'))).model.parameters.flat).toEqual(
        model.parameters.flat,
      );
    },
  );

  it('keeps the notation of numbers even with another head: other tools distinguish 30.0 from 30', async () => {
    const folder = temporaryFolder();
    await written(join(folder, 'theirs'), formulaModelOf(config), config, 'F32');
    const path = join(folder, 'theirs', 'config.json');
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replace(
        /}$/,
        ', "final_logit_softcapping": 30.0, "nested": {"theta": [1e6, 2, 0.10]}}',
      ),
    );
    const model = withHead(await readModelFolder(join(folder, 'theirs')), 'reward', 1);
    await writeCheckpoint(join(folder, 'ours'), { model, tokenizer: bytesTokenizer() });
    const text = (await readFile(join(folder, 'ours', 'config.json'), 'utf8')).replaceAll(/\s/g, '');
    expect(text).toContain('"final_logit_softcapping":30.0,"nested":{"theta":[1e6,2,0.10]}');
    expect((await readCheckpoint(join(folder, 'ours'))).model.config).toMatchObject({
      head: 'reward',
      dialect: 'llama',
    });
  });

  it('rejects values that float16 cannot represent', async () => {
    const folder = temporaryFolder();
    await written(join(folder, 'theirs'), formulaModelOf(config), config, 'F16');
    const model = await readModelFolder(join(folder, 'theirs'));
    model.parameters.view('model.norm.weight')[0] = 65_520;
    expect(
      await rejected(writeCheckpoint(join(folder, 'ours'), { model, tokenizer: bytesTokenizer() })),
    ).toMatchObject({ kind: 'numeric', where: 'model.norm.weight' });
  });

  it('rounds to nearest, ties to even', () => {
    const rounded = (values: number[], dtype: FloatType) => {
      const data = Float32Array.from(values);
      const file = encodeSafetensors({ x: { shape: [data.length], data, dtype } });
      return [...decodeSafetensors(file, 'x').get('x')!.data];
    };
    expect(
      rounded(
        [1 + 2 ** -11, 1 + 3 * 2 ** -11, 2 ** -25, 3 * 2 ** -25, 2047 * 2 ** -25, 65_519, 65_520, -0.1],
        'F16',
      ),
    ).toEqual([1, 1 + 2 ** -9, 0, 2 ** -23, 2 ** -14, 65_504, Infinity, -0.0999755859375]);
    expect(rounded([1 + 2 ** -8, 1 + 3 * 2 ** -8, 3.4e38, -0.1], 'BF16')).toEqual([
      1,
      1 + 2 ** -6,
      Infinity,
      -0.10009765625,
    ]);
    const halves = Float32Array.from(uniforms(3, 4096), (u) => (u - 0.5) * 2 ** (40 * u - 26));
    const nearest = halves.map((x) => {
      const unit = 2 ** Math.max(Math.floor(Math.log2(Math.abs(x))) - 10, -24);
      return Math.round(x / unit) * unit;
    });
    expect(Float32Array.from(rounded([...halves], 'F16'))).toEqual(nearest);
    expect(encodeFloats(Float32Array.of(NaN), 'BF16')).toEqual(Uint8Array.of(0xc0, 0x7f));
  });
});

describe.skipIf(process.platform === 'win32')('the Hugging Face cache', () => {
  it('is read through its symbolic links, at the main revision', async () => {
    const cache = join(temporaryFolder(), 'models--org--tiny');
    const blobs = join(cache, 'blobs');
    const snapshot = join(cache, 'snapshots', 'abc');
    await mkdir(join(cache, 'refs'), { recursive: true });
    await mkdir(snapshot, { recursive: true });
    await cp(sharded, blobs, { recursive: true });
    for (const name of ['config.json', 'model.safetensors.index.json', shard(1), shard(2), shard(3)])
      await symlink(join('..', '..', 'blobs', name), join(snapshot, name));
    await writeFile(join(snapshot, 'tokenizer.json'), JSON.stringify(bytesTokenizer().toJson()));
    expect(await resolveModelFolder(cache)).toBe(snapshot);
    expect((await openModelFolder(cache)).model.config).toMatchObject({ dialect: 'llama', vocabulary: 40 });
    await mkdir(join(cache, 'snapshots', 'def'));
    expect(await rejected(resolveModelFolder(cache))).toMatchObject({ kind: 'not-found', where: cache });
    await writeFile(join(cache, 'refs', 'main'), 'abc\n');
    expect(await resolveModelFolder(cache)).toBe(snapshot);
  });
});
