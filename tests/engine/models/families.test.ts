import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { hash32, tokenUniforms } from '../../../engine/random/random.ts';
import { generate, type GenerateOptions } from '../../../engine/models/generate/generate.ts';
import { fromHuggingFace } from '../../../engine/models/hugging-face.ts';
import type { Model } from '../../../engine/models/model.ts';
import { flatParameters } from '../../../engine/models/symbols.ts';
import { decodeSafetensors } from '../../../engine/models/weights/safetensors.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { input } from '../../../engine/tensor/index.ts';
import { familyOracle, formulaModelOf } from '../../support/families.ts';

const expected = decodeSafetensors(
  await readFile(new URL('../../support/oracles/families.safetensors', import.meta.url)),
  'families.safetensors',
);
const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Logits of whole sequences without a cache: [B·T, V]. */
const logitsFor = async (
  { config, parameters }: Model,
  rows: readonly (readonly number[])[],
): Promise<Float32Array> => {
  const lookup = flatParameters(
    parameters.slots,
    input('parameters', { dtype: 'float32', shape: [parameters.size] }),
  );
  const hidden = forward({
    config,
    parameters: lookup,
    tokens: input('tokens', { dtype: 'int32', shape: [rows.length, rows[0].length] }),
  });
  const program = await device.compile({
    name: 'logits',
    outputs: { logits: logitsOf(config, lookup, hidden) },
  });
  return valuesOf(
    await program.run({ parameters: parameters.flat, tokens: Int32Array.from(rows.flat()) }),
    'logits',
    'float32',
  );
};

const largest = (values: ArrayLike<number>): number => Math.max(...Array.from(values, Math.abs));

/** Probabilities of the next token after each position of one sequence. */
const nextTokens = async (model: Model, tokens: Int32Array, temperature: number): Promise<number[][]> => {
  const V = model.config.vocabulary;
  const logits = await logitsFor(model, [[...tokens]]);
  return Array.from(tokens, (_, t) => {
    const row = [...logits.subarray(t * V, (t + 1) * V)].map((x) => x / temperature);
    const top = Math.max(...row);
    const total = row.reduce((sum, x) => sum + Math.exp(x - top), 0);
    return row.map((x) => Math.exp(x - top) / total);
  });
};

describe.each(familyOracle.cases)('$name', ({ name, config, before, tensors }) => {
  const model = formulaModelOf(config);
  const prompts = [familyOracle.tokens[0].slice(0, 3), familyOracle.tokens[1].slice(0, 17), [5]].map(
    (prompt) => Int32Array.from(prompt),
  );
  const options: GenerateOptions = {
    device,
    model,
    rows: prompts.map((prompt, p) => ({ prompt, promptId: `p${p}`, sample: 0 })),
    temperature: 0.9,
    maxTokens: 21,
    seed: 3,
    purpose: 'test',
    step: 0,
  };

  it('reads the same configuration from both spellings, and has the tensors of its weight files', () => {
    expect(fromHuggingFace(before, 'config.json')).toEqual(model.config);
    expect(model.parameters.slots.map((slot) => slot.name).sort()).toEqual([...tensors].sort());
  });

  it('gives the logits of Transformers', async () => {
    const reference = expected.get(name)!.data;
    const logits = await logitsFor(model, familyOracle.tokens);
    expect(logits.length).toBe(reference.length);
    expect(largest(logits.map((x, i) => x - reference[i]))).toBeLessThanOrEqual(1e-4 * largest(reference));
  });

  it('generates greedily the same with and without a cache', async () => {
    for (const { tokens, promptLength, logp } of await generate({ ...options, greedy: true })) {
      const next = await nextTokens(model, tokens, 1);
      logp.forEach((value, t) => {
        const probabilities = next[promptLength + t - 1];
        const token = tokens[promptLength + t];
        expect(probabilities[token]).toBeGreaterThanOrEqual(Math.max(...probabilities) * (1 - 1e-4));
        expect(value).toBeCloseTo(Math.log(probabilities[token]), 3);
      });
    }
  });

  it('generates the same for two rows, with eight tokens per run', async () => {
    const longer = { ...options, maxTokens: 40 };
    const [many, few] = [
      await generate(longer),
      await generate({ ...longer, rows: options.rows.slice(0, 2) }),
    ];
    few.forEach(({ tokens, logp }, r) => {
      expect(many[r].tokens).toEqual(tokens);
      logp.forEach((value, t) => expect(many[r].logp[t]).toBeCloseTo(value, 4));
    });
    expect(Math.max(...few.map(({ logp }) => logp.length))).toBeGreaterThan(16);
  });

  it('generates the same for so many rows that products are transposed', async () => {
    const few = await generate(options);
    const many = await generate({
      ...options,
      rows: [0, 1, 2, 3].flatMap((sample) => options.rows.map((row) => ({ ...row, sample }))),
    });
    few.forEach(({ tokens, logp }, r) => {
      expect(many[r].tokens).toEqual(tokens);
      logp.forEach((value, t) => expect(many[r].logp[t]).toBeCloseTo(value, 4));
    });
  });

  it('samples the same with and without a cache', async () => {
    const answers = await generate(options);
    expect(answers.some(({ logp }) => logp.length > 8)).toBe(true); // longer than one chunk
    for (const [p, { tokens, promptLength, logp }] of answers.entries()) {
      const next = await nextTokens(model, tokens, options.temperature);
      const uniforms = new Float32Array(logp.length);
      tokenUniforms({ seed: 3, purpose: 'test', step: 0, prompt: hash32(`p${p}`), sample: 0 }, 0, uniforms);
      logp.forEach((value, t) => {
        const probabilities = next[promptLength + t - 1];
        const token = tokens[promptLength + t];
        const below = probabilities.slice(0, token).reduce((a, b) => a + b, 0);
        expect(value).toBeCloseTo(Math.log(probabilities[token]), 3);
        expect(uniforms[t]).toBeGreaterThan(below - 1e-4);
        expect(uniforms[t]).toBeLessThan(below + probabilities[token] + 1e-4);
      });
    }
  });
});

describe.each(familyOracle.rewards)('a reward model: $name', ({ config, tensors, scores }) => {
  const model = formulaModelOf(config);

  it('scores rows of unequal length as Transformers does, at the last token that is not padding', async () => {
    expect(model.config.head).toBe('reward');
    expect(model.parameters.slots.map((slot) => slot.name).sort()).toEqual([...tensors].sort());
    const live = new LiveModel(new RowPrograms(device, modelGraph(model.config)), model.parameters);
    const found = await live.scores(ragged(familyOracle.rows, Int32Array));
    expect(largest(found.map((score, r) => score - scores[r]))).toBeLessThanOrEqual(1e-4 * largest(scores));
  });
});
