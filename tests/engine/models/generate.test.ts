import { afterAll, describe, expect, it } from 'vitest';
import { hash32, shuffle, stream, tokenUniforms } from '../../../engine/random/random.ts';
import { configOf } from '../../../engine/models/config.ts';
import {
  generate,
  type Answer,
  type AnswerRequest,
  type GenerateOptions,
} from '../../../engine/models/generate/generate.ts';
import type { ModelDevice } from '../../../engine/models/device.ts';
import { createModel, withHead, type Model } from '../../../engine/models/model.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { ragged, rowOf } from '../../../engine/rl/kernel/rows.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { specials } from '../../../engine/text/tokenizer.ts';
import { rejected } from '../../support/errors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

/** A model whose predictions are far from uniform and depend on all earlier tokens. */
const lively = (seed: number): Model => {
  const model = createModel(
    configOf({ family: 'gpt2', width: 32, layers: 2, heads: 4, context: 40 }, 13),
    seed,
  );
  for (let i = 0; i < model.parameters.size; i++) model.parameters.flat[i] *= 6;
  for (const { name } of model.parameters.slots)
    if (/ln_.*weight/.test(name)) model.parameters.view(name).fill(1);
  return model;
};
/** `samples` answers to each prompt: sample k of prompt p is row p · samples + k. */
const answersTo = (
  prompts: readonly Int32Array[],
  promptIds: readonly string[],
  samples: number,
): AnswerRequest[] =>
  prompts.flatMap((prompt, p) =>
    Array.from({ length: samples }, (_, sample) => ({ prompt, promptId: promptIds[p], sample })),
  );

const model = lively(5);
const live = new LiveModel(new RowPrograms(device, modelGraph(model.config)), model.parameters);
/** Log-probabilities of all tokens from full forward passes. */
const scored = async (sequences: readonly Int32Array[], temperature = 1): Promise<Float32Array[]> => {
  const logp = await live.logp(ragged(sequences, Int32Array), temperature);
  return sequences.map((_, r) => rowOf(logp, r));
};
const draw = stream(1, 'prompts');
const prompts = Array.from({ length: 12 }, (_, i) =>
  Int32Array.from({ length: 1 + ((i * 5) % 14) }, (_, t) => (t === 0 ? specials.begin : 3 + draw.int(10))),
);
const rows = answersTo(
  prompts,
  prompts.map((_, p) => `prompt-${p}`),
  3,
);
const base: GenerateOptions = {
  device,
  model,
  rows,
  temperature: 0.8,
  maxTokens: 20,
  seed: 7,
  purpose: 'train',
  step: 3,
};
const answers = await generate(base);

const same = (a: Answer, b: Answer): void => {
  expect([...a.tokens]).toEqual([...b.tokens]);
  expect(a.stopReason).toBe(b.stopReason);
  a.logp.forEach((value, t) => {
    expect(value).toBeCloseTo(b.logp[t], 4);
  });
};

describe('generation with a cache', () => {
  it('gives each token the log-probability of a full forward pass at the sampling temperature', async () => {
    const scores = await scored(
      answers.map(({ tokens }) => tokens),
      base.temperature,
    );
    for (const [r, { promptLength, logp }] of answers.entries())
      logp.forEach((value, t) => {
        expect(Math.abs(value - scores[r][promptLength + t])).toBeLessThan(1e-4);
      });
  });

  it('keeps the prompt, stops at end-of-sequence or at the limit, and reports which', () => {
    answers.forEach(({ tokens, promptLength, logp, stopReason }, r) => {
      const answer = [...tokens.slice(promptLength)];
      expect([...tokens.slice(0, promptLength)]).toEqual([...rows[r].prompt]);
      expect(answer.length).toBe(logp.length);
      expect(answer.slice(0, -1)).not.toContain(specials.end);
      expect(stopReason).toBe(answer.at(-1) === specials.end ? 'end' : 'length');
      if (stopReason === 'length') expect(answer.length).toBe(20);
    });
    expect(new Set(answers.map(({ stopReason }) => stopReason))).toEqual(new Set(['end', 'length']));
    expect(new Set(answers.slice(0, 3).map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1);
  });

  it('gives a row the same answer in any order, in any batch, and alone', async () => {
    const order = shuffle(
      rows.map((_, r) => r),
      2,
      'order',
    );
    const shuffled = await generate({ ...base, rows: order.map((r) => rows[r]) });
    order.forEach((r, at) => {
      same(shuffled[at], answers[r]);
    });
    for (const r of [0, 17, 35]) same((await generate({ ...base, rows: [rows[r]] }))[0], answers[r]);
  });

  it('gives the same answers in chunks, on a device that cannot grow a cache in place', async () => {
    const chunked: ModelDevice = {
      growsInPlace: false,
      compile: (plan) => device.compile(plan),
      hold: (...arrays) => device.hold(...arrays),
      freeze: (...arrays) => device.freeze(...arrays),
      grown: (_, shape) => shape,
    };
    (await generate({ ...base, device: chunked })).forEach((answer, r) => {
      same(answer, answers[r]);
    });
  });

  it('handles more rows than fit in one batch', async () => {
    const many = answersTo(
      prompts,
      prompts.map((_, p) => `prompt-${p}`),
      30,
    );
    const all = await generate({ ...base, rows: many });
    expect(all.length).toBe(360);
    rows.forEach(({ sample }, r) => {
      same(all[Math.floor(r / 3) * 30 + sample], answers[r]);
    });
  });

  it('samples anew for another seed, purpose or step, and otherwise repeats bit for bit', async () => {
    const text = (found: Answer[]) => found.map(({ tokens }) => tokens.join()).join('|');
    const first = text(answers);
    expect(await generate(base)).toEqual(answers);
    for (const change of [{ seed: 8 }, { purpose: 'evaluation' }, { step: 4 }])
      expect(text(await generate({ ...base, ...change }))).not.toBe(first);
  });

  it('picks the most likely token of full forward passes when greedy', async () => {
    const greedy = await generate({
      ...base,
      rows: answersTo(prompts, prompts.map(String), 1),
      temperature: 0,
      maxTokens: 12,
    });
    expect(
      await generate({
        ...base,
        rows: answersTo(prompts, prompts.map(String), 1),
        greedy: true,
        maxTokens: 12,
      }),
    ).toEqual(greedy);
    for (const { tokens, promptLength, logp } of greedy) {
      const candidates = Array.from({ length: tokens.length - promptLength }, (_, t) =>
        Array.from({ length: model.config.vocabulary }, (_, token) =>
          Int32Array.of(...tokens.slice(0, promptLength + t), token),
        ),
      ).flat();
      const scores = (await scored(candidates)).map((score) => score[score.length - 1]);
      logp.forEach((value, t) => {
        expect(Math.abs(value - Math.max(...scores.slice(t * 13, t * 13 + 13)))).toBeLessThan(1e-4);
      });
    }
  });

  it('draws every token by inversion from the uniform keyed by its position', async () => {
    for (const r of [1, 16, 35]) {
      const { tokens, promptLength, logp } = answers[r];
      const uniforms = new Float32Array(logp.length);
      tokenUniforms(
        { seed: 7, purpose: 'train', step: 3, prompt: hash32(rows[r].promptId), sample: rows[r].sample },
        0,
        uniforms,
      );
      const candidates = [...logp].flatMap((_, t) =>
        Array.from({ length: 13 }, (_, token) => Int32Array.of(...tokens.slice(0, promptLength + t), token)),
      );
      const scores = (await scored(candidates, base.temperature)).map((score) =>
        Math.exp(score[score.length - 1]),
      );
      logp.forEach((_, t) => {
        const token = tokens[promptLength + t];
        const below = scores.slice(t * 13, t * 13 + token).reduce((a, b) => a + b, 0);
        expect(uniforms[t]).toBeGreaterThan(below - 1e-4);
        expect(uniforms[t]).toBeLessThan(below + scores[t * 13 + token] + 1e-4);
      });
    }
    expect([1, 16, 35].some((r) => answers[r].logp.length > 8)).toBe(true); // longer than one chunk
  });

  it('samples tokens in proportion to their probability', async () => {
    const count = 4000;
    const prompt = prompts[2];
    const found = await generate({
      ...base,
      rows: answersTo([prompt], ['p'], count),
      maxTokens: 1,
      temperature: 1.3,
    });
    const scores = await scored(
      Array.from({ length: 13 }, (_, token) => Int32Array.of(...prompt, token)),
      1.3,
    );
    let chiSquare = 0;
    scores.forEach((score, token) => {
      const expected = count * Math.exp(score[prompt.length]);
      const seen = found.filter(({ tokens }) => tokens[prompt.length] === token).length;
      chiSquare += (seen - expected) ** 2 / expected;
    });
    expect(chiSquare).toBeLessThan(32.9); // 12 degrees of freedom, p = 0.001
  });

  it('stops at the end of the context', async () => {
    const long = Int32Array.from({ length: 37 }, (_, t) => (t === 0 ? specials.begin : 5));
    const [a, b] = await generate({ ...base, rows: answersTo([long, long], ['a', 'b'], 1), maxTokens: 100 });
    for (const { tokens } of [a, b]) expect(tokens.length).toBeLessThanOrEqual(40);
    const [{ tokens: filled }] = await generate({
      ...base,
      rows: answersTo([prompts[0]], ['c'], 1),
      maxTokens: 100,
      temperature: 0,
    });
    expect(filled.length).toBeLessThanOrEqual(40);
  });

  it('returns nothing for no rows', async () => {
    expect(await generate({ ...base, rows: [] })).toEqual([]);
  });
});

describe('generation rejects', () => {
  const one = (prompt: Int32Array) => [{ prompt, promptId: 'p9', sample: 0 }];
  it.each<[string, Partial<GenerateOptions>, { kind: string; where: string }]>([
    ['an empty prompt', { rows: one(new Int32Array()) }, { kind: 'invalid-input', where: 'prompt p9' }],
    [
      'a prompt that fills the context',
      { rows: one(new Int32Array(40).fill(3)) },
      { kind: 'invalid-input', where: 'prompt p9' },
    ],
    [
      'a token outside the vocabulary',
      { rows: one(Int32Array.of(1, 13)) },
      { kind: 'invalid-input', where: 'prompt p9' },
    ],
    ['a temperature below 0', { temperature: -1 }, { kind: 'invalid-input', where: 'temperature' }],
    ['answers of no tokens', { maxTokens: 0 }, { kind: 'invalid-input', where: 'maxTokens' }],
    ['a reward model', { model: withHead(model, 'reward', 1) }, { kind: 'unsupported', where: 'model' }],
    ['anything after a stop', { signal: AbortSignal.abort() }, { kind: 'cancelled', where: 'train' }],
  ])('%s', async (_, change, error) => {
    expect(await rejected(generate({ ...base, ...change }))).toMatchObject(error);
  });

  it('a model with NaN in its weights', async () => {
    const sick = { ...model, parameters: model.parameters.clone() };
    sick.parameters.view('transformer.wpe.weight').fill(NaN);
    expect(await rejected(generate({ ...base, model: sick }))).toMatchObject({ kind: 'numeric' });
  });
});
