import { describe, expect, it } from 'vitest';
import { axisOf, listItems, named, seedAxis, variantsOf } from '../../engine/common/sweep.ts';

describe('lists of values', () => {
  it.each([
    ['0.0003, 0.001', ['0.0003', '0.001']],
    ['1;2; 3', ['1', '2', '3']],
    ['1,\t2', ['1', '2']],
    ['0,0003', null],
    ['1,2', null],
    ['1 000', null],
    ['0.1', null],
    ['', null],
    ['1, ', ['1', '']],
  ])('reads %j as %j', (text, items) => {
    // a trailing separator is an item that is missing, which its field reports
    expect(listItems(text)).toEqual(items);
  });
});

describe('variants of a specification', () => {
  const spec = { seed: 7, optimizer: { learningRate: 1, beta1: 0.9 }, rewards: [{ id: 'a' }, { weight: 1 }] };

  it('are the specification alone without axes', () => {
    expect(variantsOf(spec, [])).toEqual([{ spec, label: '' }]);
    expect(named(variantsOf(spec, []), 'run')).toEqual([spec]);
    expect(seedAxis(spec, 1)).toEqual([]);
    expect(seedAxis({ seed: 'abc' }, 3), 'left for the check to refuse').toEqual([]);
  });
  it('are all combinations of values and seeds, counted from the own seed, and leave the rest alone', () => {
    const axes = [{ path: ['optimizer', 'learningRate'], values: [0.0003, 0.001] }, ...seedAxis(spec, 3)];
    const all = variantsOf(spec, axes);
    expect(all.map(({ label }) => label)).toEqual([
      'learning rate 0.0003, seed 7',
      'learning rate 0.0003, seed 8',
      'learning rate 0.0003, seed 9',
      'learning rate 0.001, seed 7',
      'learning rate 0.001, seed 8',
      'learning rate 0.001, seed 9',
    ]);
    expect(all[4].spec).toEqual({ ...spec, seed: 8, optimizer: { learningRate: 0.001, beta1: 0.9 } });
    expect(spec).toEqual({
      seed: 7,
      optimizer: { learningRate: 1, beta1: 0.9 },
      rewards: [{ id: 'a' }, { weight: 1 }],
    });
  });
  it('reach into lists, make missing parts, and take equal values once', () => {
    const weights = variantsOf(spec, [axisOf(['rewards', '1', 'weight'], [2, 3, 2])]);
    expect(weights.map((each) => each.spec.rewards)).toEqual([
      [{ id: 'a' }, { weight: 2 }],
      [{ id: 'a' }, { weight: 3 }],
    ]);
    expect(variantsOf({}, [{ path: ['budget', 'steps'], values: [1] }])[0].spec).toEqual({
      budget: { steps: 1 },
    });
  });
  it('are named by what tells them apart, within the length of a name', () => {
    const all = named(variantsOf(spec, seedAxis(spec, 2)), 'x'.repeat(300));
    expect(all.map(({ name }) => String(name).length)).toEqual([200, 200]);
    expect(new Set(all.map(({ name }) => name)).size, 'names differ').toBe(2);
    expect(named(variantsOf(spec, seedAxis(spec, 2)), 'sft')[1].name).toBe('sft (seed 8)');
  });
});
