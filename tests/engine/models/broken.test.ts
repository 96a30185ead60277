import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { rejected } from '../../support/errors.ts';
import { cli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';

/** Writes a value into the middle of a tensor in a folder's weight file. */
const poke = (folder: string, tensor: string, value: number): void => {
  const path = join(folder, 'model.safetensors');
  const bytes = readFileSync(path);
  const header = Number(bytes.readBigUInt64LE(0));
  const {
    [tensor]: {
      data_offsets: [from, to],
    },
  } = JSON.parse(bytes.toString('utf8', 8, 8 + header)) as Record<string, { data_offsets: [number, number] }>;
  bytes.writeFloatLE(value, 8 + header + from + 4 * Math.floor((to - from) / 8));
  writeFileSync(path, bytes);
};
const settings = { vocab_size: 430 };
const norm = 'model.layers.0.input_layernorm.weight';
const broken = (value: number, model = 'llama tied'): string => {
  const folder = writeModelFolder(join(temporaryFolder(), 'model'), { model, settings });
  poke(folder, norm, value);
  return folder;
};
const request = { prompts: ['12 * 3'], samples: 1, maxTokens: 4, seed: 0, putPrompts: 'plain' as const };
const weightError = (folder: string) => ({
  kind: 'numeric',
  where: `${folder}, tensor ${norm}`,
  message: expect.stringContaining(norm) as string,
});

describe('a model whose weights are NaN or infinite', () => {
  it('gives no logits, neither of the last token nor of all', async () => {
    const folder = broken(NaN);
    for (const all of [false, true])
      expect(await rejected(calls.logits({ folder, tokens: [5, 6], all }))).toMatchObject(
        weightError(folder),
      );
  });

  it.each([0, 1])('generates nothing at temperature %d', async (temperature) => {
    const folder = broken(NaN);
    expect(await rejected(calls.generate({ ...request, checkpoint: folder, temperature }))).toMatchObject(
      weightError(folder),
    );
    expect(
      await rejected(
        calls.tryPrompt({
          folder,
          hash: 'h',
          prompt: '12 * 3',
          temperature,
          maxTokens: 4,
          seed: 0,
          putPrompts: 'plain',
        }),
      ),
    ).toMatchObject(weightError(folder));
  });

  it('scores nothing', async () => {
    const judge = broken(NaN, 'llama');
    expect(
      await rejected(calls.score({ checkpoint: judge, items: [{ prompt: '12 * 3', completion: '36' }] })),
    ).toMatchObject(weightError(judge));
  });

  it('is reported as an error on the command line, as text and as JSON', async () => {
    const folder = broken(NaN);
    const json = await cli('logits', '--model', folder, '--tokens', '5,6', '--json');
    expect(json).toMatchObject({
      code: 1,
      value: { error: { kind: 'numeric', where: `${folder}, tensor ${norm}` } },
    });
    const plain = await cli('logits', '--model', folder, '--tokens', '5,6');
    expect(plain.code).toBe(1);
    expect(plain.out).not.toContain('NaN');
    expect(plain.said).toContain(norm);
  });
});

it('finite weights that overflow are reported as such', async () => {
  const folder = broken(3e38);
  expect(await rejected(calls.logits({ folder, tokens: [5, 6], all: false }))).toMatchObject({
    kind: 'numeric',
    where: folder,
    message: expect.stringContaining('exceeds the range of float32') as string,
  });
});
