import { describe, expect, it } from 'vitest';
import { methods } from '../../engine/index.ts';
import { fieldsOf, type Field } from '../../renderer/features/runs/form/fields.ts';
import { partsOf } from '../../renderer/features/runs/form/mix.ts';
import {
  conclusionsOf,
  depthBins,
  mixLines,
  queryOf,
  rateLines,
  rowsOf,
} from '../../renderer/features/runs/starts/start-states.ts';
import { parseSampleQuery } from '../../preload/wire/sample-query.ts';

/** Rows: prompt, right, wrong, unmarked; columns: right, wrong, unmarked. */
const answers = [
  [30, 10, 0],
  [15, 5, 0],
  [6, 14, 0],
  [0, 0, 0],
];
const train = { purpose: 'train', answers } as const;

describe('start states', () => {
  it('have a row for each kind that is there, with shares of the row', () => {
    expect(rowsOf(train)).toEqual([
      {
        kind: 'prompt',
        all: 40,
        share: 0.5,
        cells: [
          { end: 'right', answers: 30, share: 0.75 },
          { end: 'wrong', answers: 10, share: 0.25 },
        ],
      },
      {
        kind: 'right',
        all: 20,
        share: 0.25,
        cells: [
          { end: 'right', answers: 15, share: 0.75 },
          { end: 'wrong', answers: 5, share: 0.25 },
        ],
      },
      {
        kind: 'wrong',
        all: 20,
        share: 0.25,
        cells: [
          { end: 'right', answers: 6, share: 0.3 },
          { end: 'wrong', answers: 14, share: 0.7 },
        ],
      },
    ]);
  });

  it('say what was repaired and damaged, and nothing of what is not there', () => {
    expect(conclusionsOf(train)).toEqual([
      '30 % of the wrong beginnings ended right: repaired (6 of 20).',
      '25 % of the right beginnings ended wrong: damaged (5 of 20).',
    ]);
    expect(conclusionsOf({ ...train, answers: [answers[0], [0, 0, 0], [0, 0, 0], [0, 0, 0]] })).toEqual([]);
  });

  it('open the answers of a cell by a query of the language', () => {
    const query = queryOf('train', 'wrong', 'right');
    expect(query).toBe('purpose=train start=wrong is:right');
    expect(() => parseSampleQuery(query)).not.toThrow();
  });

  it('are drawn as shares and rates of windows, from the first window on in which something began so', () => {
    const nothing = [answers[0], [0, 0, 0], [0, 0, 0], [0, 0, 0]];
    const states = {
      matrices: [],
      depths: [],
      windows: { steps: Float64Array.of(1, 2), answers: [nothing, answers] },
    };
    expect(mixLines(states).map(({ label, values }) => [label, ...values])).toEqual([
      ['prompts', 1, 0.5],
      ['right beginnings', 0, 0.25],
      ['wrong beginnings', 0, 0.25],
    ]);
    expect(rateLines(states).map(({ label, values }) => [label, ...values])).toEqual([
      ['repaired', 0.3],
      ['damaged', 0.25],
      ['solved', 0.75, 0.75],
    ]);
  });

  it('have a bin for each number of lines between the least and the most', () => {
    const { bins, counts } = depthBins([
      { lines: 1, answers: 4 },
      { lines: 3, answers: 2 },
    ]);
    expect(counts).toEqual([4, 0, 2]);
    expect(bins.at(-1)).toEqual({ from: 2.5, to: 3.5 });
  });
});

describe('the form of their method', () => {
  const params = methods.find(({ id }) => id === 'satori')?.params ?? {};
  const fields = fieldsOf(params, ['method', 'params']);
  const groupOf = (label: string): Field & { kind: 'group' } => {
    const found = fields.find((field) => field.kind === 'group' && field.label === label);
    if (found?.kind !== 'group') throw new Error(`there is no group ${label}`);
    return found;
  };
  const shares = (held: Readonly<Record<string, unknown>>) =>
    partsOf(groupOf('Start states'), 'prompts', {
      draft: { get: (path: readonly string[]) => held[path.join('.')] } as never,
      suggested: () => undefined,
    });

  it('has the mix and both bonuses in groups of their own, at the paths of single fields', () => {
    const pathsOf = (label: string) => groupOf(label).fields.map(({ path }) => path.join('.'));
    expect(pathsOf('Start states').slice(0, 2)).toEqual(['method.params.good', 'method.params.bad']);
    expect(pathsOf('Bonuses').slice(0, 2)).toEqual(['method.params.bonus', 'method.params.damage']);
  });

  it('shows the shares of a batch, and none that exceed it or are no numbers', () => {
    expect(shares({ 'method.params.good': 0.4 })).toEqual([
      { name: 'prompts', share: 0.35 },
      { name: 'right beginnings', share: 0.4 },
      { name: 'wrong beginnings', share: 0.25 },
    ]);
    expect(shares({ 'method.params.good': 0.8 })).toBeNull();
    expect(shares({ 'method.params.good': 'half' })).toBeNull();
  });
});
