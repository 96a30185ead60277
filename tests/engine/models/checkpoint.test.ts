import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import {
  readCheckpoint,
  verifyCheckpoint,
  writeCheckpoint,
  type Checkpoint,
} from '../../../engine/models/checkpoint.ts';
import { configOf } from '../../../engine/models/config.ts';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { createModel } from '../../../engine/models/model.ts';
import { writeDurably } from '../../../engine/models/weights/durable.ts';
import { bytesTokenizer } from '../../../engine/text/bytes.ts';
import { charactersTokenizer } from '../../../engine/text/characters.ts';
import { rejected } from '../../support/errors.ts';

const root = await mkdtemp(join(tmpdir(), 'whetstone-checkpoint-'));
afterAll(() => rm(root, { recursive: true }));

const tokenizer = charactersTokenizer('0123456789+=');
const model = createModel(
  configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 24 }, tokenizer.vocabulary),
  1,
);
const moments = {
  first: Float32Array.from({ length: model.parameters.size }, (_, i) => i * 1e-3),
  second: new Float32Array(model.parameters.size),
};
const checkpoint: Checkpoint = {
  model,
  tokenizer,
  state: { step: 7, cursor: { epoch: 1, row: 3 } },
  optimizer: moments,
};

const saved = join(root, 'saved');
const { hash } = await writeCheckpoint(saved, checkpoint);

/** The module's address as a literal, for scripts that run in separate processes. */
const checkpointModule = JSON.stringify(
  new URL('../../../engine/models/checkpoint.ts', import.meta.url).href,
);

describe('a checkpoint', () => {
  it('is restored bit for bit, with everything a run needs to continue', async () => {
    const back = await readCheckpoint(saved);
    expect(back.hash).toBe(hash);
    expect(back.model.config).toEqual(model.config);
    expect(back.model.parameters.flat).toEqual(model.parameters.flat);
    expect(back.model.parameters.slots).toEqual(model.parameters.slots);
    expect(back.state).toEqual(checkpoint.state);
    expect(back.optimizer).toEqual(moments);
    expect(back.tokenizer.toJson()).toEqual(tokenizer.toJson());
  });

  it('reports its path, hash, size, number of parameters and head', async () => {
    const facts = await writeCheckpoint(join(root, 'again'), checkpoint);
    expect(facts).toEqual({
      path: join(root, 'again'),
      hash,
      bytes: expect.toSatisfy(Number.isFinite) as number,
      parameters: model.parameters.size,
      head: 'next-token',
    });
    expect(facts.bytes).toBeGreaterThan(model.parameters.size * 12);
    const other = await writeCheckpoint(join(root, 'other'), { ...checkpoint, state: { step: 8 } });
    expect(other.hash).not.toBe(hash);
  });

  it('may lack state and optimizer, and may contain a reward model', async () => {
    const reward = createModel({ ...model.config, head: 'reward', vocabulary: 259 }, 2);
    await writeCheckpoint(join(root, 'reward'), { model: reward, tokenizer: bytesTokenizer() });
    const back = await readCheckpoint(join(root, 'reward'));
    expect(back.model.config.head).toBe('reward');
    expect(back.model.parameters.flat).toEqual(reward.parameters.flat);
    expect('state' in back || 'optimizer' in back).toBe(false);
  });

  it('is never overwritten', async () => {
    expect(await rejected(writeCheckpoint(saved, checkpoint))).toMatchObject({
      kind: 'conflict',
      where: saved,
    });
  });

  it('never contains NaN, in parameters or in state', async () => {
    const sick = { config: model.config, parameters: model.parameters.clone() };
    sick.parameters.view('transformer.ln_f.bias')[3] = NaN;
    expect(await rejected(writeCheckpoint(join(root, 'sick'), { model: sick, tokenizer }))).toMatchObject({
      kind: 'numeric',
      where: 'transformer.ln_f.bias',
    });
    expect(
      await rejected(
        writeCheckpoint(join(root, 'sick'), { model, tokenizer, state: { a: { loss: Infinity } } }),
      ),
    ).toMatchObject({ kind: 'numeric', where: 'state.json' });
    expect(await readdir(root)).not.toContain('sick');
  });
});

describe('a damaged checkpoint', () => {
  const folder = join(root, 'damaged');
  beforeEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await cp(saved, folder, { recursive: true });
  });

  it.each(['model.safetensors', 'optimizer.safetensors', 'config.json', 'tokenizer.json', 'state.json'])(
    'with %s truncated, changed or missing is reported with the file’s name and not loaded',
    async (name) => {
      const path = join(folder, name);
      const bytes = await readFile(path);
      await truncate(path, bytes.length - 1);
      expect(await rejected(readCheckpoint(folder))).toMatchObject({ kind: 'invalid-input', where: path });
      const flipped = Uint8Array.from(bytes);
      flipped[Math.floor(bytes.length / 2)] ^= 1;
      await writeFile(path, flipped);
      const error = await rejected(readCheckpoint(folder));
      expect(error).toMatchObject({ kind: 'invalid-input', where: path });
      expect(error.message).toMatch(/changed since it was saved/);
      await rm(path);
      expect(await rejected(verifyCheckpoint(folder))).toMatchObject({ kind: 'not-found', where: path });
    },
  );

  it('computes no logits after one of its files has changed', async () => {
    const file = join(folder, 'model.safetensors');
    const bytes = await readFile(file);
    expect(await calls.logits({ folder, tokens: [3], all: false })).toHaveLength(1);
    bytes[bytes.length - 2] ^= 1; // still finite
    await writeFile(file, bytes);
    expect(await rejected(calls.logits({ folder, tokens: [3], all: false }))).toMatchObject({
      kind: 'invalid-input',
      where: file,
      message: expect.stringContaining('have changed') as unknown,
    });
  });

  it('is not accepted without a manifest or with a changed one', async () => {
    const path = join(folder, 'manifest.json');
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replace(
        hash,
        hash.replace(/^./, (c) => (c === '0' ? '1' : '0')),
      ),
    );
    expect((await rejected(readCheckpoint(folder))).message).toMatch(/does not have the hash that it states/);
    await writeFile(path, text.slice(0, 50));
    expect(await rejected(readCheckpoint(folder))).toMatchObject({ kind: 'invalid-input', where: path });
    await writeFile(path, text.replace('"model.safetensors"', '"../../secret"'));
    expect(await rejected(readCheckpoint(folder))).toMatchObject({ kind: 'invalid-input', where: path });
    await rm(path);
    expect(await rejected(readCheckpoint(folder))).toMatchObject({ kind: 'not-found', where: path });
  });

  it('is reported with the tensor where configuration and weights disagree', async () => {
    const path = join(folder, 'config.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"n_positions": 24', '"n_positions": 25'));
    expect(await rejected(readModelFolder(folder))).toMatchObject({
      kind: 'invalid-input',
      where: `${join(folder, 'model.safetensors')}, tensor transformer.wpe.weight`,
    });
    await writeFile(path, '{"model_type": "mamba"}');
    expect(await rejected(readModelFolder(folder))).toMatchObject({ kind: 'unsupported', where: path });
  });
});

describe('a writer that fails', () => {
  it('leaves nothing under the final name, and its leftovers do not block the next writer', async () => {
    const folder = join(root, 'killed');
    await cp(saved, `${folder}.partial`, { recursive: true }); // killed after the manifest, before the rename
    await rm(join(`${folder}.partial`, 'config.json'));
    expect(await rejected(readCheckpoint(folder))).toMatchObject({ kind: 'not-found' });
    await writeCheckpoint(folder, checkpoint);
    expect(await verifyCheckpoint(folder)).toBe(hash);
    expect(await readdir(root)).not.toContain('killed.partial');
  });

  it.skipIf(process.platform !== 'linux')('reports a full disk as such', async () => {
    expect(await rejected(writeDurably('/dev/full', [new Uint8Array(10_000)]))).toMatchObject({
      kind: 'disk-full',
      where: '/dev/full',
    });
  });

  it.skipIf(process.platform === 'win32')(
    'removes its partial folder when the disk fills up midway, and keeps the last checkpoint',
    async () => {
      const script = `
      import { readCheckpoint, writeCheckpoint } from ${checkpointModule};
      const checkpoint = await readCheckpoint(${JSON.stringify(saved)});
      await writeCheckpoint(${JSON.stringify(join(root, 'full'))}, checkpoint).catch((error) => console.log(error.kind));`;
      const child = spawn(
        'bash',
        ['-c', `ulimit -f 8; exec "$0" --input-type=module -e "$1"`, process.execPath, script],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      await once(child, 'close');
      expect(output.trim()).toBe('disk-full');
      expect((await readdir(root)).filter((name) => name.startsWith('full'))).toEqual([]);
      expect(await verifyCheckpoint(saved)).toBe(hash);
    },
  );

  it('killed at any moment, leaves a complete checkpoint or none under the name', async () => {
    const script = `
      import { readCheckpoint, writeCheckpoint } from ${checkpointModule};
      const checkpoint = await readCheckpoint(${JSON.stringify(saved)});
      for (let i = 0; ; i++) console.log(i, (await writeCheckpoint(${JSON.stringify(join(root, 'loop'))} + i, checkpoint)).hash);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for (let seen = 0; seen < 3; seen++) await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    const made = (await readdir(root)).filter((name) => /^loop\d+$/.test(name));
    expect(made.length).toBeGreaterThan(0);
    for (const name of made) expect(await verifyCheckpoint(join(root, name))).toBe(hash);
  });
});
