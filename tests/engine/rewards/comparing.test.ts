import { expect, test } from 'vitest';
import { rewards, type AnswerRow, type RewardContext, type Scorer } from '../../../engine/rewards/index.ts';
import { openStack } from '../../../engine/rewards/stack.ts';

const row = (completion: string, more: Partial<AnswerRow> = {}): AnswerRow => ({ promptId: 'p', prompt: 'q', completion, tokens: completion.length + 1, stopReason: 'end', ...more });
const group = (...completions: string[]): AnswerRow[] => completions.map((completion) => row(completion, { group: 1 }));
const open = (id: string, params: unknown = {}, given: RewardContext = {}): Promise<Scorer> => {
  const context: RewardContext = { ...given, open: (inner, innerParams) => rewards.find((one) => one.id === inner)!.open(innerParams, context) };
  return rewards.find((one) => one.id === id)!.open(params, context);
};
const score = async (id: string, params: unknown, rows: readonly AnswerRow[], given?: RewardContext) => [...await (await open(id, params, given)).score(rows)];

test('majority: those who agree with most of their group earn 1; a tie earns all of its sides 1; nothing readable earns nothing', async () => {
  expect(await score('majority', {}, group('7', '8', ' 7', '9'))).toEqual([1, 0, 1, 0]);
  expect(await score('majority', {}, group('7', '8', '8', '7', '9'))).toEqual([1, 1, 1, 1, 0]);
  expect(await score('majority', { part: 'marked', mark: '#' }, group('work #7', 'other #7', '7'))).toEqual([1, 1, 0]);
  expect(await score('majority', { part: 'marked' }, group('', 'x'))).toEqual([0, 0]);
});

test('evol: the majority lies above every minority, and novelty decides within each', async () => {
  // bigrams, α = ½. Likeness ab–ab = 1, ab–ac = 0 and so on: by hand below
  const scores = await score('evol', { part: 'last-line', size: 1, alpha: 0.5 }, group('a\n7', 'a\n7', 'b\n7', 'a\n8', 'c\n9'));
  // letters {a,\n,7} twice, {b,\n,7}, {a,\n,8}, {c,\n,9}: likeness is the share of equal letters
  // majority: u = 1 − ½·(mean to its two peers) − ½·(greatest): first two 1 − ½·(1 + ⅔)/2 − ½ = 1/12, third 1 − ½·⅔ − ½·⅔ = ⅓
  // minority: a\n8: 1 − ½·⅓ − ½·⅔ = ½; c\n9: 1 − ½·⅓ − ½·⅓ = ⅔
  expect(scores.map((value) => Math.round(value * 1e9) / 1e9)).toEqual([0.5, 0.5, 1, -1, -0.5]);
  expect(await score('evol', { part: 'marked', mark: '#' }, group('#7', 'no answer'))).toEqual([0.5, -1]);
});

test('evol: likeness may be that of the initial model’s features', async () => {
  const features: NonNullable<RewardContext['initial']>['features'] = async (rows) => ({ width: 2, values: Float64Array.from(rows.flatMap(({ prompt }) => (prompt === 'x' ? [1, 0] : [0, 2]))) });
  const rows = ['x', 'x', 'y'].map((prompt) => row('7', { prompt, group: 0 }));
  // u = 1 − ½·½ − ½·1 for the two that are alike, 1 for the third
  expect(await score('evol', { likeness: 'features' }, rows, { initial: { features, answers: async () => [] } })).toEqual([0.5, 0.5, 1]);
  await expect(open('evol', { likeness: 'features' })).rejects.toMatchObject({ kind: 'unsupported' });
});

test('par: the mean of σ(r − r_ref) over the initial model’s answers, asked once a prompt', async () => {
  let asked = 0;
  const initial: RewardContext['initial'] = {
    features: async () => ({ values: new Float64Array(0), width: 0 }),
    answers: async (rows, count) => rows.flatMap((one) => { asked++; return Array.from({ length: count }, (_, at) => ({ ...one, tokens: 24 * at })); }),
  };
  const scorer = await open('par', { reward: { id: 'length' }, references: 3 }, { initial });
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const rows = [row('', { tokens: 24 }), row('', { tokens: 72 })];
  const expected = [1, 3].map((r) => (sigmoid(r) + sigmoid(r - 1) + sigmoid(r - 2)) / 3);
  const { value, raw } = await scorer.detail(rows);
  value.forEach((one, r) => expect(one).toBeCloseTo(expected[r], 12));
  expect([...raw ?? []]).toEqual([1, 3]);
  await scorer.score(rows);
  expect(asked).toBe(1);
});

test('overlong: 0, then a line down to −1', async () => {
  expect(await score('overlong', { longest: 20, buffer: 8 }, [5, 12, 14, 20, 33].map((tokens) => row('', { tokens })))).toEqual([0, 0, -0.25, -1, -1].map((x) => expect.closeTo(x, 12)));
});

test('a reward inside another is found by a stack, and one that is not there is named', async () => {
  await expect(openStack([{ id: 'par', weight: 1, params: { reward: { id: 'nowhere' } } }], { initial: { features: async () => ({ values: new Float64Array(0), width: 0 }), answers: async () => [] } })).rejects.toMatchObject({ kind: 'not-found' });
});
