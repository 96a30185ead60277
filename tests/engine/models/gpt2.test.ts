import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { configOf, initialDeviation } from '../../../engine/models/config.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { rewardOf } from '../../../engine/models/heads/reward.ts';
import { createModel, withHead } from '../../../engine/models/model.ts';
import { flatParameters, inputParameters, parameterFeeds } from '../../../engine/models/symbols.ts';
import { modelGraph, symbolicModel } from '../../../engine/rl/compute/model-graph.ts';
import { evaluate, input, tokenLogp } from '../../../engine/tensor/index.ts';

const oracle = new URL('../../support/oracles/gpt2/', import.meta.url);
const expected = JSON.parse(await readFile(new URL('expected.json', oracle), 'utf8')) as {
  tokens: number[][];
  logits: number[][][];
  tokenLogp: number[][];
};
const model = await readModelFolder(fileURLToPath(oracle));
const tokens = input('tokens', { dtype: 'int32', shape: [3, 12] });

describe('GPT-2', () => {
  it('gives the logits and token log-probabilities of Transformers from the same files', () => {
    const parameters = inputParameters(model.parameters.slots);
    const hidden = forward({ config: model.config, parameters, tokens });
    const targets = input('targets', { dtype: 'int32', shape: [36] });
    const [logits, logp] = evaluate(
      [
        logitsOf(model.config, parameters, hidden),
        tokenLogp(logitsOf(model.config, parameters, hidden), targets),
      ],
      {
        ...parameterFeeds(model.parameters),
        tokens: expected.tokens.flat(),
        targets: expected.tokens.flatMap((row) => [...row.slice(1), 0]),
      },
    );
    expected.logits.flat(2).forEach((value, i) => {
      expect(logits.data[i]).toBeCloseTo(value, 4);
    });
    expected.tokenLogp.forEach((row, b) =>
      row.forEach((value, t) => {
        expect(logp.data[b * 12 + t]).toBeCloseTo(value, 4);
      }),
    );
  });

  it('gives the same results from one flat tensor, and the entropy of its logits', () => {
    const flat = input('flat', { dtype: 'float32', shape: [model.parameters.size] });
    const parameters = flatParameters(model.parameters.slots, flat);
    const hidden = forward({ config: model.config, parameters, tokens });
    const last = input('last', { dtype: 'int32', shape: [3] });
    const entropy = symbolicModel(modelGraph(model.config), parameters, { tokens, last }, 1).entropy(tokens);
    const [logits, entropies] = evaluate([logitsOf(model.config, parameters, hidden), entropy], {
      flat: model.parameters.flat,
      tokens: expected.tokens.flat(),
      last: [11, 11, 11],
    });
    expected.logits.flat(2).forEach((value, i) => {
      expect(logits.data[i]).toBeCloseTo(value, 4);
    });
    const first = expected.logits[0][0];
    const total = first.reduce((a, x) => a + Math.exp(x), 0);
    expect(entropies.data[0]).toBe(0); // nothing predicts the first token
    expect(entropies.data[1]).toBeCloseTo(
      -first.reduce((a, x) => a + (Math.exp(x) / total) * Math.log(Math.exp(x) / total), 0),
      4,
    );
  });

  it('lets no token attend to later ones', () => {
    const parameters = inputParameters(model.parameters.slots);
    const hidden = forward({ config: model.config, parameters, tokens });
    const run = (rows: number[][]) =>
      evaluate([hidden], { ...parameterFeeds(model.parameters), tokens: rows.flat() })[0].data;
    const before = run(expected.tokens);
    const after = run(expected.tokens.map((row) => [...row.slice(0, 7), 0, 0, 0, 0, 0]));
    const width = model.config.width;
    for (let b = 0; b < 3; b++)
      expect(after.slice(b * 12 * width, (b * 12 + 7) * width)).toEqual(
        before.slice(b * 12 * width, (b * 12 + 7) * width),
      );
  });

  it('rejects sequences longer than its context', () => {
    const long = input('long', { dtype: 'int32', shape: [1, 13] });
    expect(() =>
      forward({ config: model.config, parameters: inputParameters(model.parameters.slots), tokens: long }),
    ).toThrow(/context of 12/);
  });
});

describe('new models', () => {
  const config = configOf({ family: 'gpt2', width: 64, layers: 2, heads: 4, context: 32 }, 20);
  const sd = (values: Float32Array) => Math.sqrt(values.reduce((a, x) => a + x * x, 0) / values.length);

  it('are initialized as GPT-2 scaled to their width, the same for the same seed', () => {
    const { parameters } = createModel(config, 3);
    expect(parameters.flat).toEqual(createModel(config, 3).parameters.flat);
    expect(parameters.flat).not.toEqual(createModel(config, 4).parameters.flat);
    expect(sd(parameters.view('transformer.h.1.mlp.c_fc.weight'))).toBeCloseTo(0.02 * Math.sqrt(12), 3);
    expect(sd(parameters.view('transformer.h.1.mlp.c_proj.weight'))).toBeCloseTo(0.01 * Math.sqrt(12), 3);
    expect(initialDeviation(768)).toBe(0.02);
    expect([...parameters.view('transformer.ln_f.weight')].every((x) => x === 1)).toBe(true);
    expect([...parameters.view('transformer.h.0.attn.c_attn.bias')].every((x) => x === 0)).toBe(true);
  });

  it('share one flat array among all views', () => {
    const { parameters } = createModel(config, 3);
    const { offset } = parameters.slot('transformer.wpe.weight');
    parameters.flat[offset] = 42;
    expect(parameters.view('transformer.wpe.weight')[0]).toBe(42);
    const copy = parameters.clone();
    parameters.flat[offset] = 43;
    expect(copy.view('transformer.wpe.weight')[0]).toBe(42);
  });

  it('keep a policy’s transformer under a new reward head, which reads the last token that is not padding', () => {
    const policy = createModel(config, 3);
    const model = withHead(policy, 'reward', 9);
    expect(model.parameters.view('transformer.wte.weight')).toEqual(
      policy.parameters.view('transformer.wte.weight'),
    );
    const parameters = inputParameters(model.parameters.slots);
    const hidden = forward({
      config: model.config,
      parameters,
      tokens: input('t', { dtype: 'int32', shape: [2, 4] }),
    });
    const [rewards, states] = evaluate(
      [rewardOf(parameters, hidden, input('last', { dtype: 'int32', shape: [2] })), hidden],
      {
        ...parameterFeeds(model.parameters),
        t: [1, 5, 6, 2, 1, 7, 2, 0],
        last: [3, 6],
      },
    );
    const score = model.parameters.view('score.weight');
    [3, 6].forEach((row, b) => {
      expect(rewards.data[b]).toBeCloseTo(
        score.reduce((a, w, d) => a + w * states.data[row * 64 + d], 0),
        6,
      );
    });
  });
});
