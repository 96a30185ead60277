import { afterAll, expect, test } from 'vitest';
import { configOf } from '../../../engine/models/config.ts';
import type { ModelDevice } from '../../../engine/models/device.ts';
import { generate } from '../../../engine/models/generate/generate.ts';
import { worthPacking } from '../../../engine/models/generate/packed.ts';
import { createModel } from '../../../engine/models/model.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { input, matmul } from '../../../engine/tensor/index.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());
const model = createModel(configOf({ family: 'gpt2', width: 32, layers: 2, heads: 2, context: 64 }, 11), 4);
const ask = (rows: number, on = device, of = model, maxTokens = 40) =>
  generate({
    device: on,
    model: of,
    rows: Array.from({ length: rows }, (_, r) => ({
      prompt: Int32Array.of(1, 4 + (r % 5), 5),
      promptId: `${r}`,
      sample: 0,
    })),
    temperature: 1,
    maxTokens,
    ends: [],
    seed: 3,
    purpose: 'test',
    step: 0,
  });

test('long answers, sampled with packed weights, start like short ones, whose programs receive the weights as inputs', async () => {
  expect([worthPacking(model.parameters, 40), worthPacking(model.parameters, 20)]).toEqual([true, false]);
  const [long, short] = [await ask(3), await ask(3, device, model, 20)];
  short.forEach((answer, r) => {
    expect(answer.tokens).toEqual(long[r].tokens.slice(0, answer.tokens.length));
    answer.logp.forEach((value, t) => expect(value).toBeCloseTo(long[r].logp[t], 4));
  });
});

test('few rows, with several tokens of each sampled per run, give the same answers as many rows', async () => {
  const own = await openDevice({ id: 'cpu', threads: 1 });
  const runs: { name: string; rows: number }[] = [];
  const counted: ModelDevice = {
    growsInPlace: true,
    freeze: () => {},
    grown: (_, shape) => shape,
    hold: (...arrays) => own.hold(...arrays),
    compile: async (plan) => {
      const program = await own.compile(plan);
      return {
        inputs: program.inputs,
        release: () => program.release(),
        run: (feeds, sizes) => {
          runs.push({ name: plan.name, rows: sizes?.B ?? 0 });
          return program.run(feeds, sizes);
        },
      };
    },
  };
  const prompts = Array.from({ length: 12 }, (_, r) => ({
    prompt: Int32Array.of(1, 4 + (r % 5), 5),
    promptId: `${r}`,
    sample: 0,
    maxTokens: 33 + (r % 8),
  }));
  for (const change of [
    {},
    { greedy: true },
    { annealing: (t: number) => 1 / (1 + t / 10) },
    { ends: [6, 7] },
  ]) {
    const options = {
      device: counted,
      model,
      temperature: 1,
      maxTokens: 40,
      ends: [],
      seed: 3,
      purpose: 'test',
      step: 0,
      ...change,
    };
    const many = await generate({ ...options, rows: prompts });
    runs.length = 0;
    const few = (
      await Promise.all(
        [0, 2, 4, 6, 8, 10].map((at) => generate({ ...options, rows: prompts.slice(at, at + 2) })),
      )
    ).flat();
    few.forEach((answer, r) => {
      expect([answer.tokens, answer.stopReason]).toEqual([many[r].tokens, many[r].stopReason]);
      answer.logp.forEach((value, t) => expect(value).toBeCloseTo(many[r].logp[t], 4));
    });
    const made = few.reduce((sum, { logp }) => sum + logp.length, 0);
    const taken = runs.filter(({ name }) => name.startsWith('generate'));
    expect(taken.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(made / 2);
    if ('ends' in change) expect(new Set(few.map(({ stopReason }) => stopReason))).toContain('end');
  }
  await own.close();
});

test('changed weights never use a program compiled with the old ones, and its sessions are released', async () => {
  const before = await ask(3);
  const sessions = device.cachedSessions;
  for (let i = 0; i < model.parameters.size; i++) model.parameters.flat[i] *= -1.5;
  const after = await ask(3);
  expect(device.cachedSessions).toBe(sessions);
  const fresh = await openDevice({ id: 'cpu', threads: 1 });
  const expected = await ask(3, fresh);
  await fresh.close();
  expect(after).toEqual(expected);
  expect(after[0].tokens).not.toEqual(before[0].tokens);
});

test('models with the same weights and another number of heads have separate programs', async () => {
  const other = { ...model, config: { ...model.config, heads: 4 } };
  const [own, mine] = [await ask(2), await ask(2, device, other)];
  const fresh = await openDevice({ id: 'cpu', threads: 1 });
  const expected = await ask(2, fresh, other);
  await fresh.close();
  expect(mine).toEqual(expected);
  expect(mine).not.toEqual(own);
});

test('constants of a program are not inputs, and two programs of one graph keep their own constants', async () => {
  const x = input('x', { dtype: 'float32', shape: [1, 2] });
  const w = input('w', { dtype: 'float32', shape: [2, 1] });
  const [a, b] = await Promise.all(
    [Float32Array.of(1, 2), Float32Array.of(3, 4)].map((values) =>
      device.compile({ name: 'product', outputs: { y: matmul(x, w) }, constants: { w: values } }),
    ),
  );
  expect(Object.keys(a.inputs)).toEqual(['x']);
  const feeds = { x: Float32Array.of(10, 1) };
  expect([(await a.run(feeds)).y[0], (await b.run(feeds)).y[0]]).toEqual([12, 34]);
  await a.release();
  expect((await a.run(feeds)).y[0]).toBe(12);
});

test(
  'samples several tokens per run from weights used before: compiling that program costs more than one ' +
    'answer saves',
  async () => {
    const own = await openDevice({ id: 'cpu', threads: 1 });
    const compiled: string[] = [];
    const moving = createModel(model.config, 8);
    const counted: ModelDevice = {
      growsInPlace: true,
      hold: (...arrays) => own.hold(...arrays),
      freeze: (...arrays) => own.freeze(...arrays),
      grown: (kind, shape) => own.grown(kind, shape),
      compile: (plan) => {
        if (plan.constants) compiled.push(plan.name);
        return own.compile(plan);
      },
    };
    const write = (step: number) =>
      generate({
        device: counted,
        model: moving,
        rows: [{ prompt: Int32Array.of(1, 4, 5), promptId: 'one', sample: 0 }],
        temperature: 1,
        maxTokens: 45,
        ends: [],
        seed: 3,
        purpose: 'test',
        step,
      });
    for (let step = 0; step < 3; step++) {
      moving.parameters.flat[step] += 0.1;
      await write(step);
    }
    expect(compiled.map((name) => /"samples":\d+/.exec(name)?.[0])).toEqual(
      Array.from({ length: 3 }, () => '"samples":1'),
    );
    const again = await write(2);
    expect(compiled.slice(3).map((name) => /"samples":\d+/.exec(name)?.[0])).toEqual(['"samples":8']);
    // either program gives the same bits: a repeated or resumed run may have sampled from its weights more or
    // less often before
    const [kept] = moving.parameters.flat;
    moving.parameters.flat[0] = 1;
    await write(2);
    moving.parameters.flat[0] = kept;
    expect(await write(2)).toEqual(again);
    await own.close();
  },
);
