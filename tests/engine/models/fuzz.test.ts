import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { inputParameters } from '../../../engine/models/symbols.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { input } from '../../../engine/tensor/index.ts';
import { familyOracle } from '../../support/families.ts';
import { temporaryFolder } from '../../support/folder.ts';

type Random = ReturnType<typeof stream>;

/** Values that are invalid for every field of a configuration or header, and some that are nearly valid. */
const odd: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1,
  3,
  0.5,
  1e308,
  2 ** 53,
  -(2 ** 31),
  '',
  'F64',
  'llama3',
  '../..',
  [],
  [[]],
  {},
  { factor: 0 },
  [null],
  Array(50).fill(7),
  'x'.repeat(3000),
  { __proto__: null, rope_type: [] },
];
const pick = <T>(items: readonly T[], random: Random): T => items[random.int(items.length)];

/** Changes one value anywhere in a JSON value. */
const mutateJson = (value: unknown, random: Random): unknown => {
  if (typeof value !== 'object' || value === null || random.int(4) === 0) return pick(odd, random);
  const keys = Object.keys(value);
  if (keys.length === 0) return pick(odd, random);
  const key = pick(keys, random);
  if (Array.isArray(value))
    return value.map((inner: unknown, at) => (String(at) === key ? mutateJson(inner, random) : inner));
  const entries = Object.entries(value);
  if (random.int(6) === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (random.int(8) === 0)
    return Object.fromEntries([
      ...entries,
      [
        pick(
          ['rope_scaling', 'rope_parameters', 'layer_types', 'sliding_window', '__metadata__', 'toString'],
          random,
        ),
        pick(odd, random),
      ],
    ]);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === key ? mutateJson(inner, random) : inner]),
  );
};

const mutateBytes = (bytes: Uint8Array, random: Random): Uint8Array => {
  const out = Uint8Array.from(bytes);
  for (let i = 1 + random.int(3); i > 0; i--) {
    switch (random.int(5)) {
      case 0:
        return out.subarray(0, random.int(out.length));
      case 1:
        return Buffer.concat([out, out.subarray(0, 1 + random.int(40))]);
      case 2:
        out[random.int(8)] ^= 1 << random.int(8);
        break;
      default:
        out[random.int(Math.min(out.length, 900))] = random.int(256);
    }
  }
  return out;
};

/** The header of a weight file with one changed value. */
const mutateHeader = (bytes: Uint8Array, random: Random): Uint8Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as unknown;
  const json = new TextEncoder().encode(JSON.stringify(mutateJson(header, random)));
  const front = new Uint8Array(8);
  new DataView(front.buffer).setBigUint64(0, BigInt(json.length), true);
  return Buffer.concat([front, json, bytes.subarray(8 + length)]);
};

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value) ?? '');

it('1,000 broken weight and configuration files each give an error with its location, or a model', async () => {
  const folder = join(temporaryFolder(), 'model');
  const random = stream(11, 'fuzz');
  await cp(fileURLToPath(new URL('../../support/oracles/sharded/', import.meta.url)), folder, {
    recursive: true,
  });
  const names = [
    'config.json',
    'model.safetensors.index.json',
    'model-00001-of-00003.safetensors',
    'model-00002-of-00003.safetensors',
  ];
  const originals = new Map(
    await Promise.all(
      names.map(async (name) => [name, new Uint8Array(await readFile(join(folder, name)))] as const),
    ),
  );
  const outcomes = { loaded: 0, refused: 0 };
  for (let i = 0; i < 1000; i++) {
    const name = pick(names, random);
    const original = originals.get(name)!;
    const parsed = () => JSON.parse(new TextDecoder().decode(original)) as object;
    const ways = name.endsWith('.safetensors')
      ? [() => mutateBytes(original, random), () => mutateHeader(original, random)]
      : [
          () => mutateBytes(original, random),
          () => json(mutateJson(parsed(), random)),
          ...(name === 'config.json'
            ? [
                () => json(mutateJson(pick(familyOracle.cases, random).config, random)),
                () =>
                  json({
                    ...parsed(),
                    ...(mutateJson(pick(familyOracle.cases, random).before, random) as object),
                  }),
              ]
            : []),
        ];
    await writeFile(join(folder, name), pick(ways, random)());
    try {
      const { config, parameters } = await readModelFolder(folder);
      const lookup = inputParameters(parameters.slots);
      logitsOf(
        config,
        lookup,
        forward({
          config,
          parameters: lookup,
          tokens: input('tokens', { dtype: 'int32', shape: [1, Math.min(4, config.context)] }),
        }),
      );
      outcomes.loaded++;
    } catch (error) {
      const { kind, message, where } =
        error instanceof WhetstoneError ? error : { kind: 'none', message: String(error), where: undefined };
      expect(
        ['invalid-input', 'not-found', 'unsupported', 'out-of-memory'],
        `case ${i}, ${name}: ${message}`,
      ).toContain(kind);
      expect(where, message).toContain(folder);
      outcomes.refused++;
    }
    await writeFile(join(folder, name), original);
  }
  expect(outcomes.refused).toBeGreaterThan(600);
  expect(outcomes.loaded).toBeGreaterThan(20);
  await readModelFolder(folder);
});
