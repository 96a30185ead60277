/** Every optimizer against PyTorch over five steps: see tests/support/oracles/optimizers.py. */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import {
  groupsOf,
  inPlaceOutputs,
  initialState,
  optimizerState,
  optimizerStep,
  orthogonalized,
  packedState,
  type OptimizerSettings,
} from '../../../engine/optim/index.ts';
import { layoutOf } from '../../../engine/models/parameters.ts';
import { groupFeeds, groupInputs } from '../../../engine/rl/compute/grouped.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { evaluate, input, scalar, sizeOf } from '../../../engine/tensor/index.ts';
import { randomFloats, worstError } from '../../support/tensors.ts';

type Named = Readonly<Record<string, number[]>>;
interface Expected {
  readonly learningRate: number;
  readonly shapes: Readonly<Record<string, number[]>>;
  readonly start: Named;
  readonly grads: readonly Named[];
  readonly cases: readonly { readonly settings: Omit<OptimizerSettings, 'clipNorm'>; readonly end: Named }[];
}
const { learningRate, shapes, start, grads, cases } = JSON.parse(
  await readFile(new URL('../../support/oracles/optimizers.json', import.meta.url), 'utf8'),
) as Expected;
const slots = layoutOf(Object.entries(shapes).map(([name, shape]) => ({ name, shape })));
const flat = (values: Named): Float32Array => Float32Array.from(slots.flatMap(({ name }) => values[name]));

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

describe.each(cases.map(({ settings, end }) => [settings.kind, settings, end] as const))(
  '%s',
  (_, given, end) => {
    const settings = { ...given, clipNorm: 1e9 };
    // joining small neighbours, or keeping every parameter separate, gives the same numbers
    it.each([
      ['joined', 65_536],
      ['separate', 1],
    ])('reaches the parameters that PyTorch reaches, parameters %s', async (_name, small) => {
      const groups = groupsOf(slots, settings, small);
      const params = groupInputs(groups, 'p');
      const grad = groupInputs(groups, 'g');
      const state = optimizerState(settings, Object.values(params), groups);
      const result = optimizerStep(settings, {
        loss: scalar(0),
        params: Object.values(params),
        traits: groups,
        grads: Object.values(grad),
        state,
        learningRate: input('learningRate', { dtype: 'float32', shape: [] }),
      });
      const program = await device.compile({ name: settings.kind, ...inPlaceOutputs(result, params) });
      expect(new Set(Object.values(program.inPlace).map(({ how }) => how))).toEqual(new Set(['shared']));
      const own = flat(start);
      const { feeds } = packedState(state);
      for (const each of grads) {
        await program.run({
          ...groupFeeds(groups, 'p', own),
          ...groupFeeds(groups, 'g', flat(each)),
          ...feeds,
          learningRate: Float32Array.of(learningRate),
        });
      }
      expect(worstError(own, flat(end))).toBeLessThan(2e-6);
    });

    it('ignores a step whose gradient contains an infinity', async () => {
      const groups = groupsOf(slots, settings);
      const params = groupInputs(groups, 'p');
      const grad = groupInputs(groups, 'g');
      const state = optimizerState(settings, Object.values(params), groups);
      const result = optimizerStep(settings, {
        loss: scalar(0),
        params: Object.values(params),
        traits: groups,
        grads: Object.values(grad),
        state,
        learningRate: scalar(0.1),
      });
      const program = await device.compile({ name: settings.kind, ...inPlaceOutputs(result, params) });
      const own = flat(start);
      const arrays = initialState(state);
      const good = flat(grads[0]);
      const bad = flat(grads[1]);
      bad[7] = Infinity;
      const step = (g: Float32Array) =>
        program.run({ ...groupFeeds(groups, 'p', own), ...groupFeeds(groups, 'g', g), ...arrays });
      await step(good);
      const before = structuredClone({ own, arrays });
      await step(bad);
      expect({ own, arrays }).toEqual(before);
    });
  },
);

describe('parameter groups', () => {
  const small = (name: string, ...shape: number[]) => ({ name, shape });
  const layout = layoutOf([
    small('transformer.wte.weight', 300, 400),
    small('h.0.ln.weight', 8),
    small('h.0.ln.bias', 8),
    small('h.0.fc.weight', 8, 4),
    small('h.0.fc.bias', 4),
    small('h.0.up.weight', 400, 300),
    small('score.weight', 1, 8),
  ]);
  const names = (settings: Parameters<typeof groupsOf>[1]) =>
    groupsOf(layout, settings).map((group) =>
      group.slots.map(({ name }) => name.replace(/^transformer\.|\.weight$/g, '')).join(' '),
    );

  it('keep large tensors separate and join small neighbours', () => {
    expect(names({ kind: 'adamw', weightDecay: 0 })).toEqual([
      'wte',
      'h.0.ln h.0.ln.bias h.0.fc h.0.fc.bias',
      'h.0.up',
      'score',
    ]);
  });
  it('separate parameters with weight decay, matrices and embeddings, from those without', () => {
    expect(names({ kind: 'adamw', weightDecay: 0.1 })).toEqual([
      'wte',
      'h.0.ln h.0.ln.bias',
      'h.0.fc',
      'h.0.fc.bias',
      'h.0.up',
      'score',
    ]);
    expect(groupsOf(layout, { kind: 'adamw', weightDecay: 0.1 }).map(({ decays }) => decays)).toEqual([
      true,
      false,
      true,
      false,
      true,
      true,
    ]);
  });
  it('give Muon the hidden matrices, one per group', () => {
    const groups = groupsOf(layout, { kind: 'muon', weightDecay: 0 });
    expect(
      groups.filter(({ hidden }) => hidden).map(({ slots: [{ name }], shape }) => [name, shape]),
    ).toEqual([
      ['h.0.fc.weight', [8, 4]],
      ['h.0.up.weight', [400, 300]],
    ]);
  });
  it('cover the flat array end to end', () => {
    for (const kind of ['adamw', 'muon'] as const) {
      let end = 0;
      for (const { offset, size, slots: members } of groupsOf(layout, { kind, weightDecay: 1 })) {
        expect([offset, size]).toEqual([end, members.reduce((sum, { shape }) => sum + sizeOf(shape), 0)]);
        end += size;
      }
      expect(end).toBe(layout.at(-1)!.offset + layout.at(-1)!.size);
    }
  });
});

describe('orthogonalization', () => {
  it.each([
    [4, 7],
    [7, 4],
    [5, 5],
  ])('brings the singular values of a %d × %d matrix near 1', (rows, columns) => {
    const x = input('x', { dtype: 'float32', shape: [rows, columns] });
    const [{ data: y }] = evaluate([orthogonalized(x, 1e-7)], { x: randomFloats(3, [rows, columns]) });
    // ‖y‖² is the sum of the squares of min(rows, columns) singular values between 0.6 and 1.3
    const square = y.reduce((sum, value) => sum + value * value, 0) / Math.min(rows, columns);
    expect(square).toBeGreaterThan(0.36);
    expect(square).toBeLessThan(1.7);
  });
  it('keeps zeros', async () => {
    const x = input('x', { dtype: 'float32', shape: [3, 3] });
    const program = await device.compile({ name: 'zero', outputs: { y: orthogonalized(x, 1e-7) } });
    expect([...valuesOf(await program.run({ x: new Float32Array(9) }), 'y', 'float32')]).toEqual(
      new Array(9).fill(0),
    );
  });
});
