import { expect, test } from 'vitest';
import { contextFor } from '../../renderer/features/runs/form/references.ts';
import { failingScorers, faultGroups, scoresOf } from '../../renderer/features/runs/faults.ts';

const fault = (step: number, message: string, scorer = 'snippet') => ({
  step,
  scorer,
  kind: 'threw',
  message,
  prompt: 'q',
  completion: `a${step}`,
});

test('groups faults by reason, the most frequent first, with their first and last step', () => {
  expect(
    faultGroups([fault(1, 'rare'), fault(2, 'often'), fault(7, 'often'), fault(7, 'often', 'snippet#2')]),
  ).toMatchObject([
    {
      message: 'often',
      scorer: 'snippet',
      from: 2,
      to: 7,
      faults: [{ completion: 'a2' }, { completion: 'a7' }],
    },
    { message: 'rare', from: 1, to: 1 },
    { scorer: 'snippet#2' },
  ]);
});

test('marks a value that replaces a failed score as failed', () => {
  expect(
    scoresOf({ verifier: 1, snippet: 0, 'snippet/failed': 1, 'snippet#2': 0, 'snippet#2/failed': 0 }),
  ).toEqual([
    { name: 'verifier', value: 1, failed: false },
    { name: 'snippet', value: 0, failed: true },
    { name: 'snippet#2', value: 0, failed: false },
  ]);
});

test('reports failures of the newest batch only', () => {
  expect(
    failingScorers([
      { name: 'reward/snippet/failed', values: [0, 0.25] },
      { name: 'reward/snippet#2/failed', values: [1, 0] },
      { name: 'reward/snippet', values: [1] },
      { name: 'reward/other/failed', values: [] },
    ]),
  ).toEqual([{ scorer: 'snippet', share: 0.25 }]);
});

test('gives a new model for a dataset enough context for most rows', () => {
  expect(
    [280, 5, 40_000].map((meanAnswerCharacters) => contextFor({ answers: 10, meanAnswerCharacters })),
  ).toEqual([1024, 96, 2048]);
  expect(contextFor({ answers: 0, meanAnswerCharacters: 0 })).toBe(512);
});
