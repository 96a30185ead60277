import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { configOf } from '../../../engine/models/config.ts';
import { generate } from '../../../engine/models/generate/generate.ts';
import { createModel } from '../../../engine/models/model.ts';
import { controllers } from '../../../engine/rl/controllers/index.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { stream } from '../../../engine/random/random.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { found, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

test('ead: τ(t) = max(1 + start − e^(t ⁄ d), end), with d growing over the run', () => {
  const ead = controllers
    .find(({ id }) => id === 'ead')!
    .open({ start: 1.2, end: 0.1, decay: 10, growth: 1 }, { steps: 1, batch: 1 });
  const at = (progress: number) => ead.annealing?.({ progress, random: (purpose) => stream(0, purpose) });
  expect([0, 5, 20].map((t) => at(0)?.(t))).toEqual(
    [1.2, 2.2 - Math.exp(0.5), 0.1].map((x) => expect.closeTo(x, 12)),
  );
  expect(at(1)?.(5)).toBeCloseTo(2.2 - Math.exp(0.25), 12);
});

// a head of 8 numbers uses a cache that grows in place, token by token; a head of 4 generates in chunks
describe.each([
  [16, 2],
  [16, 4],
])('a model of width %d with %d heads', (width, heads) => {
  const model = createModel(configOf({ family: 'gpt2', width, layers: 1, heads, context: 32 }, 12), 3);
  const rows = Array.from({ length: 5 }, (_, r) => ({
    prompt: Int32Array.of(1, 3 + (r % 3), 5),
    promptId: `p${r % 3}`,
    sample: r,
  }));
  const options = {
    model,
    rows,
    temperature: 0.8,
    maxTokens: 12,
    ends: [-1],
    seed: 1,
    purpose: 'annealing',
    step: 0,
  };
  const annealing = (t: number) => 2 / (1 + t);

  test('samples each token at its own temperature, and gives its log-probability there', async () => {
    const answers = await generate({ ...options, device, annealing });
    const live = liveModel(device, model);
    const tokens = ragged(answers, Int32Array, (one) => one.tokens);
    for (let t = 0; t < 12; t++) {
      const { values, offsets } = await live.logp(tokens, 0.8 * annealing(t));
      answers.forEach(({ logp, promptLength }, r) =>
        expect(logp[t], `token ${t} of row ${r}`).toBeCloseTo(values[offsets[r] + promptLength + t], 4),
      );
    }
  });

  test('a multiple of 1 changes nothing, and greedy answers ignore the temperature', async () => {
    const tokensOf = async (more: object) =>
      (await generate({ ...options, device, ...more })).map(({ tokens, logp }) => [...tokens, ...logp]);
    expect(await tokensOf({ annealing: () => 1 })).toEqual(await tokensOf({}));
    expect(await tokensOf({ annealing, greedy: true })).toEqual(await tokensOf({ greedy: true }));
    expect(await tokensOf({ annealing })).not.toEqual(await tokensOf({}));
  });
});

test('a run learns with annealed answers, and with an added entropy term', async () => {
  const spec = (more: object) =>
    checkSpec({
      method: { id: 'grpo', params: { klWeight: 0 } },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy' },
      optimizer: { learningRate: 5e-3 },
      budget: { steps: 60, batch: 16 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 0 },
      ...more,
    });
  const annealed = await runToy(
    device,
    spec({ controllers: [{ id: 'ead', params: { decay: 4, end: 0.6 } }] }),
  );
  expect(found(annealed, 'reward/mean')).toBeGreaterThan(0.6);
  const plain = await runToy(device, spec({}));
  const held = await runToy(
    device,
    spec({
      controllers: [{ id: 'aepo', params: { knob: 'weight', target: 0.8, weightGain: 0.1, heaviest: 1 } }],
    }),
  );
  expect(found(held, 'control/aepo/weight')).toBeGreaterThan(0);
  expect(found(held, 'entropy')).toBeGreaterThan(found(plain, 'entropy') + 0.3);
});

test('a run records the sampling temperature of its answers, and reports the correction of their credit', async () => {
  const seen = await runToy(
    device,
    checkSpec({
      method: { id: 'grpo', params: { groupSize: 4, klWeight: 0 } },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy' },
      optimizer: { learningRate: 0 },
      budget: { steps: 3, batch: 4 },
      sampling: { maxTokens: 4, temperature: 0.9 },
      evaluation: { problems: 2, samples: 2 },
      controllers: [{ id: 'b-star', params: { temperatures: [0.5, 1, 2], hold: 0 } }],
    }),
  );
  const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
  const of = (step: number) =>
    new Set(
      rows
        .filter((row) => row.purpose === 'train' && row.step === step)
        .map(({ temperature }) => temperature),
    );
  expect([1, 2, 3].map((step) => [...of(step)])).toEqual([
    [expect.closeTo(0.45, 9)],
    [expect.closeTo(0.9, 9)],
    [expect.closeTo(1.8, 9)],
  ]);
  expect(
    new Set(rows.filter(({ purpose }) => purpose === 'evaluation').map(({ temperature }) => temperature)),
  ).toEqual(new Set([0.9]));
  const ratios = seen.flatMap((event) =>
    event.type === 'metrics' && 'loss' in event.values
      ? [event.values['sampling/importance_sampling_ratio/mean']]
      : [],
  );
  // answers sampled cooler have a higher probability than under the policy; at the run's own temperature
  // there is no correction
  expect(ratios[0]).toBeLessThan(1);
  expect(ratios[1]).toBeUndefined();
  expect(ratios[2]).toBeGreaterThan(0);
});
