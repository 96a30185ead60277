import { expect, test } from 'vitest';
import {
  evaluationProblems,
  examine,
  finished,
  leakage,
  splitSide,
  type Patient,
} from '../../../../engine/index.ts';
import { openWorldById } from '../../../../engine/worlds/index.ts';

const long =
  'Tom has twelve apples in a basket and eats three of them before lunch, so nine are left for his sister';
const row = (id: string, prompt: string, answer: string, more: object = {}) => ({
  id,
  prompt,
  answer,
  ...more,
});

const patient: Patient = {
  rows: [
    row('1', 'How many are left in the basket?', long, { correct: true, split: 'train' }),
    row('2', 'How many are left in the basket?', long, { correct: false, split: 'train' }),
    row('3', 'How many are left in the basket?', long.replace('sister', 'brother'), { split: 'heldout' }),
    row('4', 'What is 2 + 3?', 'Ask me at someone@example.org.', { split: 'train' }),
    row('5', 'Wie viele sind es?', 'Es sind neun, und die sind für den Bruder.'),
  ],
  pairs: [
    { id: 'p', prompt: 'q', a: 'longer', b: 'x', verdict: 'b' },
    { id: 'r', prompt: 'q', a: 'x', b: 'longer', verdict: 'b' },
  ],
  others: [splitSide('arithmetic', [{ id: 'w1', text: 'What is 2 + 3?' }])],
};

test('an examination finds every kind, with the rows behind it', () => {
  const found = finished(examine(patient));
  expect(found.exactDuplicates).toEqual([['1', '2']]);
  expect(found.nearDuplicates).toHaveLength(1);
  expect(found.nearDuplicates[0].rows).toEqual(['1', '2', '3']);
  expect(found.nearDuplicates[0].similarity).toBeGreaterThan(0.8);
  expect(found.contradictoryMarks).toEqual([['1', '2']]);
  expect(found.pairs.contradictory).toEqual([['p', 'r']]);
  expect(found.leaks).toEqual([
    {
      sides: [
        { name: 'train', rows: ['1'] },
        { name: 'heldout', rows: ['3'] },
      ],
      exact: true,
    },
    {
      sides: [
        { name: 'train', rows: ['4'] },
        { name: 'arithmetic', rows: ['w1'] },
      ],
      exact: true,
    },
  ]);
  expect(found.baselines.longestWins).toMatchObject({ rate: 0.5, against: ['p'] });
  expect(found.personalData.map(({ id }) => id)).toEqual(['4']);
  expect(found.languages.map(({ language, rows }) => [language, rows])).toEqual([
    ['en', ['1', '2', '3', '4']],
    ['de', ['5']],
  ]);
  expect(found.lengths.flatMap(({ rows }) => rows).toSorted()).toEqual(['1', '2', '3', '4', '5']);
});

test('different answers to one long prompt are no near duplicates', () => {
  const answers = ['Yes, nine.', 'No, ten.', long, `${long} indeed`];
  const rows = answers.map((answer, at) => row(`${at}`, `${long} ${long} ${long}?`, answer));
  const { nearDuplicates } = finished(examine({ rows, pairs: [] }));
  expect(nearDuplicates.map((cluster) => cluster.rows)).toEqual([['2', '3']]);
});

test('an examination of nothing finds nothing', () => {
  const found = finished(examine({ rows: [], pairs: [] }));
  expect([
    found.exactDuplicates,
    found.nearDuplicates,
    found.leaks,
    found.personalData,
    found.languages,
  ]).toEqual([[], [], [], [], []]);
  expect(found.baselines.firstWins.rate).toBeNull();
});

test('an examination reports its steps with rising shares', () => {
  const steps: [string, number][] = [];
  const work = examine(patient);
  for (let step = work.next(); !step.done; step = work.next())
    steps.push([step.value.step, step.value.share]);
  expect([...new Set(steps.map(([step]) => step))]).toEqual(['duplicates', 'leakage', 'texts', 'pairs']);
  const shares = steps.map(([, share]) => share);
  expect(shares.toSorted((a, b) => a - b)).toEqual(shares);
});

test('data with a held-out problem of a world leaks into its evaluation', () => {
  const { prompt } = openWorldById('spelling').problem('heldout', 3, 0);
  const data = splitSide('train', [
    { id: 'own', text: 'Name the capital of a country that you like.' },
    { id: 'taken', text: ` ${prompt}` },
  ]);
  const [leak, ...others] = finished(leakage([data, evaluationProblems('spelling', 50)]));
  expect(others).toEqual([]);
  expect(leak.sides[0].rows).toEqual(['taken']);
  expect(leak.sides[1].rows).toContain('heldout 3');
  expect(() => evaluationProblems('nowhere', 5)).toThrow(/no world/);
});
