/** Rewards that a model, or a user's comparison, gives to answers: likelihood, preference, effort, repetition. */
import { afterAll, describe, expect, test } from 'vitest';
import { rewards, type AnswerRow, type RewardContext } from '../../../engine/rewards/index.ts';
import { firstLoop } from '../../../engine/rewards/repetition.ts';
import { train } from '../../../engine/rl/kernel/recipe.ts';
import { pipe } from '../../../engine/rl/kernel/stage.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { descend } from '../../../engine/rl/proof/bandit.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { rejected } from '../../support/errors.ts';

afterAll(() => theSandbox().close());

const row = (completion: string, more: Partial<AnswerRow> = {}): AnswerRow => ({
  promptId: 'p',
  prompt: '?',
  completion,
  tokens: completion.length + 1,
  stopReason: 'end',
  ...more,
});
const open = (id: string, params: unknown, context: RewardContext = {}) => {
  const reward = rewards.find((one) => one.id === id);
  if (!reward) throw new Error(`no reward ${id}`);
  return reward.open(params, context);
};
const score = async (id: string, params: unknown, rows: readonly AnswerRow[], context?: RewardContext) => [
  ...(await (await open(id, params, context)).score(rows)),
];

test('effort: 1 − γ^T over lines or tokens, below 1 for any length', async () => {
  const rows = [row('a'), row('a\nb'), row('a\nb\nc')];
  expect(await score('effort', { discount: 0.5 }, rows)).toEqual([0.5, 0.75, 0.875]);
  expect(await score('effort', { discount: 0.5, unit: 'tokens' }, rows)).toEqual([
    0.75,
    1 - 2 ** -4,
    1 - 2 ** -6,
  ]);
  expect(await score('effort', { discount: 0 }, rows)).toEqual([1, 1, 1]);
});

describe('repetition', () => {
  test.each([
    ['abcabcabcabc', 0],
    ['xyabcabcabcabc', 2],
    ['xy aaaa bcbcbcbc', 3],
    ['bcbcbcbc aaaa', 0],
    ['abcabcabcab', undefined],
    ['a b c d e', undefined],
    ['', undefined],
  ])('the first loop of %j begins at %s', (text, start) =>
    expect(firstLoop(text, { longest: 10, times: 4 })).toBe(start),
  );
  test('an early loop costs more', async () => {
    const rows = [row('aaaabbcd'), row('bbcdaaaa'), row('bbcdabcd')];
    expect(await score('repetition', { times: 4 }, rows)).toEqual([-1, -0.5, 0]);
  });
  test('a loop longer than the longest unit is none', () =>
    expect(firstLoop('abcd'.repeat(4), { longest: 3, times: 4 })).toBeUndefined());
});

describe('likelihood', () => {
  const policy: RewardContext['policy'] = async () => ({
    score: async (rows) => Float64Array.from(rows, ({ tokens }) => -2 * tokens),
    lines: () => Promise.reject(new Error('not read')),
  });
  test('is the sum, or the mean over tokens, under the checkpoint', async () => {
    const rows = [row('a'), row('abc')];
    expect(await score('likelihood', { checkpointId: 'base' }, rows, { policy })).toEqual([-4, -8]);
    expect(await score('likelihood', { checkpointId: 'base', per: 'token' }, rows, { policy })).toEqual([
      -2, -2,
    ]);
  });
  test('sharpens a policy to π_base^(1 + 1 ⁄ β), where a divergence of weight β holds it', async () => {
    const logits = [0.6, 0, -0.4, 0.1];
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
    const logp = logits.map((logit) => logit - Math.log(total));
    const beta = 1;
    const steps = 600;
    const { policies } = await descend(await openDevice({ id: 'cpu', threads: 1 }), {
      rewards: logp,
      logits,
      recipe: ({ verifiable: task }) =>
        train({
          rows: pipe(
            task.prompts,
            part.sampleGroups({ groupSize: 4 }),
            part.score(task.reward),
            part.logpUnder('initial'),
            part.tokenRewards({ klWeight: beta }),
            part.againstBatch({ baseline: 'mean' }),
          ),
          objective: part.scoreFunction(),
        }),
      rate: 0.5,
      steps,
    });
    const powers = logp.map((value) => Math.exp((1 + 1 / beta) * value));
    const whole = powers.reduce((a, b) => a + b, 0);
    powers.forEach((power, v) => expect(policies[steps][v]).toBeCloseTo(power / whole, 3));
  });
});

describe('preference', () => {
  /** Rock beats scissors, scissors beat paper, paper beats rock. */
  const code =
    "(a, b) => a.completion === b.completion ? 0.5 : ['rs', 'sp', 'pr'].includes(a.completion + b.completion)";
  const group = (...completions: string[]) => completions.map((completion) => row(completion, { group: 1 }));

  test('an answer earns its win rate against the others of its prompt', async () => {
    expect(await score('preference', { code }, group('r', 's', 's', 'p'))).toEqual([
      2 / 3,
      1.5 / 3,
      1.5 / 3,
      1 / 3,
    ]);
    expect(await score('preference', { code }, [row('r')])).toEqual([0.5]);
  });
  test('self-play on an intransitive preference averages to its minimax mix, the uniform one', async () => {
    const moves = ['r', 'p', 's'];
    const wins = await Promise.all(
      moves.map((a) =>
        Promise.all(moves.map(async (b) => (await score('preference', { code }, group(a, b)))[0])),
      ),
    );
    let p = [0.8, 0.15, 0.05];
    const sum = [0, 0, 0];
    const steps = 4000;
    for (let step = 0; step < steps; step++) {
      p.forEach((share, i) => (sum[i] += share / steps));
      const grown = p.map(
        (share, i) => share * Math.exp(0.05 * wins[i].reduce((mean, win, j) => mean + win * p[j], 0)),
      );
      const total = grown.reduce((a, b) => a + b, 0);
      p = grown.map((share) => share / total);
    }
    expect(sum.reduce((distance, share) => distance + Math.abs(share - 1 / 3) / 2, 0)).toBeLessThan(0.1);
  });
  test('what is no probability stops the run with the answers in question', async () => {
    expect(await rejected(score('preference', { code: '() => 2' }, group('r', 's')))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('not-a-probability'),
      where: 'rewards: preference.code',
    });
  });
});
