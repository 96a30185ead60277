import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createAdapter } from '../../../engine/models/adapters/lora.ts';
import { readCheckpoint, writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import { configOf } from '../../../engine/models/config.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { generate, type GenerateOptions } from '../../../engine/models/generate/generate.ts';
import { createModel, withDirections, type Model } from '../../../engine/models/model.ts';
import { inputParameters, parameterFeeds } from '../../../engine/models/symbols.ts';
import { writeAnswers } from '../../../engine/rl/compute/answers.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { likelihood } from '../../../engine/rl/parts/index.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import { constant, evaluate, grad, input, mul, neg, sum, tokenLogp } from '../../../engine/tensor/index.ts';
import { makeTokenizer } from '../../../engine/text/load.ts';
import { caught, rejected } from '../../support/errors.ts';
import { familyOracle, formulaModelOf } from '../../support/families.ts';
import { centralDifferences, worstError } from '../../support/tensors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const softPrompt = { size: 3, vectors: 2 };
const MAP = 'soft_prompt.weight';
const tokenizer = makeTokenizer({ kind: 'characters' }, ['abcdefgh'], ['abcdefgh']);
const gpt2 = (heads: number): Model => {
  const config = configOf({ family: 'gpt2', width: 16, layers: 2, heads, context: 32 }, tokenizer.vocabulary);
  const model = createModel(config, 3);
  for (let i = 0; i < model.parameters.size; i++) model.parameters.flat[i] *= 4;
  return withDirections(model, softPrompt, 5);
};
const llamaCase = familyOracle.cases.find(({ name }) => name.startsWith('llama'));
const llama = (): Model => withDirections(formulaModelOf(llamaCase?.config ?? {}), softPrompt, 5);
const models: readonly (readonly [string, () => Model])[] = [
  // heads of 8 dimensions grow their cache in place; those of 4 are sampled in chunks
  ['GPT-2 in steps', () => gpt2(2)],
  ['GPT-2 in chunks', () => gpt2(4)],
  ['Llama', llama],
];

const prompts = ragged([1, 2, 3, 4, 1, 2], Int32Array, (r) =>
  [1, 4, 5, 6, 7].slice(0, 2 + (r % 3)).concat(3),
);
const answersOf = (model: Model) =>
  writeAnswers(
    prompts,
    Array.from({ length: 6 }, (_, r) => ({ promptId: `p${r % 3}`, prompt: '', reference: null })),
    [0, 0, 0, 1, 1, 1],
    { device, model, tokenizer, temperature: 0.9, maxTokens: 8, seed: 4, purpose: 'test', step: 2 },
  );

describe.each(models)('the direction of an answer, read by %s', (_, make) => {
  it('gives the same log-probabilities in sampling and in scoring', async () => {
    const model = make();
    const { tokens, mask, behaviorLogp } = await answersOf(model);
    const live = liveModel(device, model);
    const scored = await live.logp(tokens, 0.9, mask);
    const { observed, ...plain } = tokens;
    const unread = await live.logp(plain, 0.9, mask);
    expect(observed?.width).toBe(3);
    let [worst, difference] = [0, 0];
    mask.values.forEach((m, t) => {
      if (m === 0) return;
      worst = Math.max(worst, Math.abs(scored.values[t] - behaviorLogp.values[t]));
      difference = Math.max(difference, Math.abs(unread.values[t] - behaviorLogp.values[t]));
    });
    expect(worst).toBeLessThan(1e-5);
    expect(difference).toBeGreaterThan(1e-3);
  });

  it('has the gradient of central differences, also in the compiled update', async () => {
    const model = make();
    const { config, parameters } = model;
    const ids = [1, 4, 5, 6, 1, 7, 6, 5];
    const lookup = inputParameters(parameters.slots);
    const directions = input('directions', { dtype: 'float32', shape: [2, 3] });
    const hidden = forward({
      config,
      parameters: lookup,
      tokens: input('tokens', { dtype: 'int32', shape: [2, 4] }),
      directions,
    });
    const logp = tokenLogp(logitsOf(config, lookup, hidden), input('next', { dtype: 'int32', shape: [8] }));
    // the last token of a row predicts none
    const loss = neg(
      sum(
        mul(
          logp,
          constant(
            [1, 1, 1, 0, 1, 1, 1, 0].map((x) => x / 6),
            logp.type,
          ),
        ),
      ),
    );
    const drawn = [0.6, -0.8, 0, 0, 0.28, 0.96];
    const feeds = {
      ...parameterFeeds(parameters),
      tokens: ids,
      next: [4, 5, 6, 0, 7, 6, 5, 0],
      directions: drawn,
    };
    const [wrtMap, wrtDirections] = evaluate(grad(loss, [lookup(MAP), directions]), feeds);
    const { offset, size } = parameters.slot(MAP);
    const map = parameters.view(MAP);
    const places = Array.from({ length: 12 }, (_, i) => Math.floor((i * size) / 12));
    const lossWith = (moved: object): number => evaluate([loss], { ...feeds, ...moved })[0].data[0];
    const slopes = centralDifferences(
      (x) => lossWith({ [MAP]: places.reduce((all, at, i) => all.with(at, x[i]), Float64Array.from(map)) }),
      places.map((at) => map[at]),
    );
    const found = places.map((at) => wrtMap.data[at]);
    expect(worstError(found, slopes)).toBeLessThan(1e-6);
    const along = centralDifferences((x) => lossWith({ directions: x }), drawn);
    expect(worstError(wrtDirections.data, along)).toBeLessThan(1e-6);
    expect(Math.max(...found.map(Math.abs))).toBeGreaterThan(1e-3);

    const behind = [0, 1].flatMap((r) => [...drawn.slice(3 * r, 3 * r + 3), ...new Array<number>(9).fill(0)]);
    const { gradient } = await new Updater({
      device,
      graph: modelGraph(config),
      parameters,
      objective: likelihood({ average: 'token' }),
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 4 },
      temperature: 1,
      steps: 1,
    }).gradient({
      tokens: {
        ...ragged([ids.slice(0, 4), ids.slice(4)], Int32Array),
        observed: { values: Float32Array.from(behind), width: 3 },
      },
      mask: ragged([0, 1], Uint8Array, () => [0, 1, 1, 1]),
      weight: Float64Array.of(1, 1),
      promptId: Float64Array.of(0, 1),
    });
    // float32 against float64
    expect(worstError(gradient.subarray(offset, offset + size), wrtMap.data)).toBeLessThan(5e-5);
  });
});

describe('the direction of an answer', () => {
  const optionsFor = (model: Model, more: Partial<GenerateOptions> = {}): GenerateOptions => ({
    device,
    model,
    rows: Array.from({ length: 12 }, (_, sample) => ({
      prompt: Int32Array.of(1, 4, 5),
      promptId: `p${sample % 5}`,
      sample,
    })),
    temperature: 0.8,
    maxTokens: 9,
    seed: 4,
    purpose: 'directions',
    step: 0,
    ...more,
  });
  const texts = async (options: GenerateOptions) =>
    (await generate(options)).map(({ tokens }) => tokens.join());

  it.each([2, 4])('is of length 1, and its own whatever the other rows, with %d heads', async (heads) => {
    const options = optionsFor(gpt2(heads));
    const all = await generate(options);
    const lengths = all.map(({ direction = [] }) => Math.hypot(...direction));
    for (const length of lengths) expect(length).toBeCloseTo(1, 6);
    expect(new Set(all.map(({ direction }) => direction?.join())).size).toBe(12);
    const alone = await generate({ ...options, rows: options.rows.slice(9) });
    expect(alone.map(({ tokens, direction }) => [tokens, direction])).toEqual(
      all.slice(9).map(({ tokens, direction }) => [tokens, direction]),
    );
  });
  it('changes answers where it is read, and 0 is the plain model', async () => {
    const model = gpt2(2);
    const { softPrompt: soft, ...config } = model.config;
    expect(soft).toEqual(softPrompt);
    const plain = await texts(optionsFor({ ...model, config }));
    expect(await texts(optionsFor(model))).not.toEqual(plain);
    const { rows } = optionsFor(model);
    const zeros = rows.map((row) => ({ ...row, direction: new Float32Array(3) }));
    expect(await texts(optionsFor(model, { rows: zeros }))).toEqual(plain);
    const unread = withDirections({ ...model, config }, { size: 3, vectors: 0 }, 5);
    expect(unread.parameters.has(MAP)).toBe(false);
    const answers = await generate(optionsFor(unread));
    expect(answers.map(({ tokens }) => tokens.join())).toEqual(plain);
    expect(answers.every(({ direction }) => direction?.length === 3)).toBe(true);
  });
  it('needs prompts that are longer than its vectors, all weights, and no draft', async () => {
    const model = gpt2(2);
    const rows = [{ prompt: Int32Array.of(1, 4), promptId: 'p', sample: 0 }];
    expect(await rejected(generate(optionsFor(model, { rows })))).toMatchObject({
      kind: 'invalid-input',
      where: 'prompt p',
    });
    const draft = { model, branching: [1] };
    expect(await rejected(generate(optionsFor(model, { draft })))).toMatchObject({ where: 'draft' });
    const base = { path: 'base', hash: null };
    const adapter = createAdapter(
      model,
      { rank: 1, alpha: 1, rsLora: false, targets: ['c_fc'], base: 'float32' },
      { seed: 1, base },
    );
    expect(caught(() => withDirections({ ...model, adapter }, softPrompt, 1))).toMatchObject({
      kind: 'unsupported',
      where: 'adapter',
    });
  });
  it('is read again after the model is saved and opened', async () => {
    const root = await mkdtemp(join(tmpdir(), 'whetstone-soft-'));
    try {
      const model = gpt2(2);
      await writeCheckpoint(join(root, 'saved'), { model, tokenizer });
      const { model: back } = await readCheckpoint(join(root, 'saved'));
      expect(back.config.softPrompt).toEqual(softPrompt);
      expect(back.parameters.flat).toEqual(model.parameters.flat);
      const again = withDirections(back, softPrompt, 6);
      expect(again.parameters.flat).toEqual(model.parameters.flat);
      await writeCheckpoint(join(root, 'wider'), {
        model: withDirections(back, { size: 5, vectors: 2 }, 6),
        tokenizer,
      });
      const { model: wider } = await readCheckpoint(join(root, 'wider'));
      expect(wider.config.softPrompt).toEqual({ size: 5, vectors: 2 });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
