import { expect, it } from 'vitest';
import { checkSpec, specSchema } from '../../engine/index.ts';
import { fieldsOf, initial } from '../../renderer/features/runs/form/fields.ts';
import { summaryOf } from '../../renderer/features/runs/form/summary.ts';
import { catalogue, checkpoint, newModel } from '../support/launch-form.ts';

const sampling = fieldsOf(specSchema as Record<string, unknown>).find(({ key }) => key === 'sampling');
const fields = sampling?.kind === 'group' ? sampling.fields : [];

it('offers filters as numbers within their ranges, and guides and grammars as choices', () => {
  expect(fields.map(({ key, kind }) => [key, kind])).toEqual([
    ['temperature', 'number'],
    ['maxTokens', 'number'],
    ['topK', 'number'],
    ['topP', 'number'],
    ['minP', 'number'],
    ['guidance', 'union'],
    ['steering', 'union'],
    ['grammar', 'union'],
  ]);
  expect(fields.slice(2, 5)).toMatchObject([
    { low: 1, integer: true },
    { low: 0, openLow: true, high: 1 },
    { low: 0, high: 1, openHigh: true },
  ]);
  expect(fields.slice(5).map(initial)).toEqual([{ kind: 'none' }, { kind: 'none' }, { kind: 'none' }]);
  // nothing is chosen until a person chooses it
  expect(fields.slice(2).every(({ required, fallback }) => !required && fallback === undefined)).toBe(true);
});

it('sums up the options that are used, and only those', () => {
  const textOf = (chosen: object) =>
    summaryOf(
      checkSpec({
        method: { id: 'sample' },
        ...newModel,
        task: { kind: 'world', id: 'toy/pairs' },
        sampling: chosen,
      }),
      { catalogue, checkpoints: [checkpoint('c')], models: [], datasets: [], labelSets: [], runs: [] },
      true,
    ).find(({ term }) => term === 'Sampling')?.text;
  expect(textOf({})).toBeUndefined();
  expect(textOf({ topK: 20, topP: 0.9, minP: 0.05 })).toBe('top-k 20, top-p 0.9, min-p 0.05');
  expect(textOf({ guidance: { kind: 'checkpoint', checkpointId: 'c', weight: 2 } })).toMatch(
    /mixed in at 2$/,
  );
  expect(textOf({ guidance: { kind: 'initial', how: 'add', weight: -0.5 } })).toBe(
    'the initial model added at -0.5',
  );
  expect(textOf({ steering: { kind: 'answers', layer: 1, strength: 2 } })).toBe('steered by 2 after layer 1');
  expect(textOf({ grammar: { kind: 'pattern', pattern: 'a+' } })).toBe('answers match a+');
  expect(textOf({ grammar: { kind: 'json-schema', schema: { type: 'null' } } })).toBe(
    'answers fit a JSON Schema',
  );
});
