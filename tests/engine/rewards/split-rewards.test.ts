import { afterAll, describe, expect, test } from 'vitest';
import { rewards, type AnswerRow, type RewardContext } from '../../../engine/rewards/index.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { rejected } from '../../support/errors.ts';

afterAll(() => theSandbox().close());

const row = (prompt: string, completion: string): AnswerRow => ({
  promptId: '0',
  prompt,
  completion,
  tokens: completion.length + 1,
  stopReason: 'end',
});
const opened = (id: string, params: object, context: RewardContext = {}) => {
  const open: NonNullable<RewardContext['open']> = (name, given) =>
    (rewards.find((each) => each.id === name) ?? rewards[0]).open(given, { open, ...context });
  return open(id, params);
};

describe('LaRe', () => {
  /** Worth of a turn by its letter, which nothing but the sum tells. */
  const worth = { a: 1, b: -0.5, c: 0 } as const;
  const whole = (text: string) =>
    [...text].reduce((sum, letter) => sum + (worth[letter as keyof typeof worth] ?? 0), 0);
  const code = '({ text }) => ["a", "b"].map((letter) => Number(text === letter))';
  const total =
    '(row) => [...row.completion].reduce((sum, x) => sum + (x === "a" ? 1 : x === "b" ? -0.5 : 0), 0)';
  const params = {
    reward: { id: 'snippet', params: { code: total } },
    code,
    ridge: 1e-6,
  };
  const answers = (texts: readonly string[]) => texts.map((text) => row('q', [...text].join('⟦ok⟧')));
  const batch = answers(['abc', 'aac', 'b', 'cccb', 'ba', 'c']);
  const turnsOf = async (scorer: Awaited<ReturnType<typeof opened>>, rows: readonly AnswerRow[]) => {
    const { value, turns } = await scorer.detail(rows);
    return rows.map((_, r) => ({
      value: value[r],
      parts: [...(turns?.values.subarray(turns.offsets[r], turns.offsets[r + 1]) ?? [])],
    }));
  };

  test('splits a reward evenly at first, then as it has learned, always with the same sum', async () => {
    const scorer = await opened('lare', params);
    const [first] = await turnsOf(scorer, batch);
    first.parts.forEach((part) => expect(part).toBeCloseTo(0.5 / 3, 9));
    const texts = ['abc', 'aac', 'b', 'cccb', 'ba', 'c'];
    (await turnsOf(scorer, batch)).forEach(({ value, parts }, r) => {
      expect(value).toBeCloseTo(whole(texts[r]), 9);
      expect(parts.reduce((a, b) => a + b, 0)).toBeCloseTo(value, 12);
      parts.forEach((part, at) => expect(part).toBeCloseTo(whole(texts[r][at]), 4));
    });
    const copy = await opened('lare', params);
    copy.restore?.(JSON.parse(JSON.stringify(scorer.state?.())));
    expect(await turnsOf(copy, batch)).toEqual(await turnsOf(scorer, batch));
  });

  test('refuses features of unequal number', async () => {
    const uneven = await opened('lare', { ...params, code: '({ index }) => Array(index + 1).fill(1)' });
    expect(await rejected(uneven.score(batch))).toMatchObject({
      kind: 'invalid-input',
      where: 'rewards: lare.code',
    });
    expect(await (await opened('lare', params)).score([])).toHaveLength(0);
  });
});

test('APC: statements asked about must be entailed, the others not contradicted', async () => {
  /** Probabilities by judge, for rows that name what they are about. */
  const judge = (of: (row: AnswerRow) => number) => ({
    score: async (rows: readonly AnswerRow[]) => Float64Array.from(rows, of),
  });
  const checkpoint: RewardContext['checkpoint'] = async (id) =>
    ({
      relevance: judge(({ prompt, completion }) => Number(completion.includes(prompt.split(' ')[1]))),
      entailment: judge(({ prompt, completion }) =>
        completion.includes(prompt.split('\n')[0].split(' ')[3]) ? 0.9 : 0.1,
      ),
      contradiction: judge(({ completion }) => (completion.includes('never') ? 0.8 : 0)),
    })[id] ?? judge(() => 0);
  const scorer = await opened(
    'persona',
    {
      statements: ['my home is Rome', 'my job is baker'],
      relevance: 'relevance',
      entailment: 'entailment',
      contradiction: 'contradiction',
    },
    { checkpoint },
  );
  const scores = await scorer.score([
    row('what is your home?', 'Rome'),
    row('what is your home?', 'Paris, never mind'),
    row('hello', 'hi'),
  ]);
  // entailed .9, and the other not denied: 1; then .1, and denied with .8; neither asked nor denied
  [0.95, (0.1 + 0.2) / 2, 1].forEach((value, r) => expect(scores[r]).toBeCloseTo(value, 12));
});
