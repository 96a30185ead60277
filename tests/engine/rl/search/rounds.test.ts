import { beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../../../engine/index.ts';
import { roundsCurve } from '../../../../engine/rl/search/rounds-curve.ts';
import { openDevice, type Device } from '../../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../../engine/schema/run-spec.ts';
import { SearchCurve } from '../../../../engine/schema/search.ts';
import { runToy, toyModel } from '../../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

test('the curve of rounds is the mean and the best of each, over all tokens so far', () => {
  const problem = (promptId: string, verdict: readonly number[]) => ({
    promptId,
    round: [0, 0, 1, 1],
    tokens: [3, 5, 2, 4],
    scores: { verdict },
  });
  const curve = roundsCurve([problem('a', [0, 1, 1, 1]), problem('b', [1, 0, 0, 0])], { step: 1, seed: 0 });
  expect(curve.strategies.map(({ id }) => id)).toEqual(['mean', 'best', 'best-so-far']);
  expect(
    curve.strategies.map(({ points }) => points.map(({ n, tokens, accuracy }) => [n, tokens, accuracy])),
  ).toEqual([
    [
      [2, 8, 0.5],
      [4, 14, 0.5],
    ],
    [
      [2, 8, 1],
      [4, 14, 0.5],
    ],
    [
      [2, 8, 1],
      [4, 14, 1],
    ],
  ]);
  expect(curve.strategies[0].points.map(({ gain }) => gain?.difference)).toEqual([undefined, 0]);
  expect(() => roundsCurve([], { step: 1, seed: 0 })).toThrow('no search');
});

test('plain answers beside the rounds give their mean and the expected best of n at equal samples', () => {
  const scores = [0, 1, 1, 1, 0, 1];
  const problem = { promptId: 'a', round: [0, 0, 1, 1, -1, -1], tokens: [3, 5, 2, 4, 1, 3] };
  const { strategies } = roundsCurve([{ ...problem, scores: { verdict: scores } }], { step: 1, seed: 0 });
  const points = (id: string) =>
    strategies.find((each) => each.id === id)?.points.map(({ n, tokens, accuracy }) => [n, tokens, accuracy]);
  // the plain answers are those of the first round and the two beside it: 0, 1, 0, 1
  expect(points('plain-mean')).toEqual([
    [2, 6, 0.5],
    [4, 12, 0.5],
  ]);
  // of two of four answers none is right in one of six pairs
  expect(points('plain-best')).toEqual([
    [2, 6, expect.closeTo(5 / 6, 12)],
    [4, 12, 1],
  ]);
  expect(points('mean')).toEqual([
    [2, 8, 0.5],
    [4, 14, 1],
  ]);
});

const base: RunSpecInput = {
  method: { id: 'search-rounds', params: { groupSize: 2, rounds: 3, shows: 2 } },
  models: toyModel,
  task: { kind: 'world', id: 'toy/copy' },
  rewards: [{ id: 'verifier' }],
  budget: { steps: 2, batch: 3 },
  sampling: { maxTokens: 3 },
};

test('a search in rounds records every answer with what it was shown, by any selector', async () => {
  for (const selector of ['none', 'verifier'] as const) {
    const seen = await runToy(
      device,
      checkSpec({ ...base, method: { ...base.method, params: { ...base.method.params, selector } } }),
    );
    const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
    expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([36, 36]);
    const plain = rows.filter(({ shown }) => shown === undefined);
    expect(plain).toHaveLength(12);
    for (const { prompt, shown, promptLength } of rows)
      if (shown !== undefined) {
        expect([shown.startsWith(prompt), shown.endsWith(';')]).toEqual([true, true]);
        // one token more begins a sequence
        expect(promptLength).toBe([...shown].length + 1);
      }
    const found = seen.findLast((event) => event.type === 'result' && event.kind === 'search');
    const curve = SearchCurve.parse(found?.type === 'result' ? found.value : undefined);
    expect(curve).toMatchObject({ problems: 6, samples: 6 });
    const [mean] = curve.strategies;
    const right = plain.reduce((sum, { scores }) => sum + Number(scores.verifier === 1), 0);
    expect(mean.points.map(({ n }) => n)).toEqual([2, 4, 6]);
    expect(mean.points[0].accuracy).toBeCloseTo(right / 12, 12);
    // partial credit has lines of its own
    expect(curve.strategies.map(({ id }) => id)).toContain('mean/verifier');
  }
});

test('a control shows answers to another prompt, and plain answers beside the rounds show none', async () => {
  const params = { ...base.method.params, swapped: true, beside: true };
  const seen = await runToy(device, checkSpec({ ...base, method: { ...base.method, params } }));
  const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
  // six problems: two answers in each of three rounds, and four beside them
  expect(rows).toHaveLength(60);
  expect(rows.filter(({ shown }) => shown === undefined)).toHaveLength(36);
  const answersOf = (prompt: string, step: number) =>
    rows.filter((row) => row.prompt === prompt && row.step === step).map(({ completion }) => completion);
  for (const { prompt, shown, step, parent } of rows)
    if (shown !== undefined) {
      expect(parent).toBeUndefined();
      const others = [...new Set(rows.filter((row) => row.step === step).map((row) => row.prompt))].filter(
        (other) => other !== prompt,
      );
      const pairs = others.flatMap((other) => {
        const own = answersOf(other, step);
        return own.flatMap((a) => own.map((b) => `${a};${b};`));
      });
      expect(pairs).toContain(shown.slice(prompt.length));
    }
});

test('a selector by rewards must have one that does not know the answer', async () => {
  const params = { ...base.method.params, selector: 'rewards' };
  await expect(
    runToy(device, checkSpec({ ...base, method: { id: 'search-rounds', params } })),
  ).rejects.toMatchObject({ kind: 'invalid-input', where: 'rewards' });
});
