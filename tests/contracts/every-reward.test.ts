import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rewards, type AnswerRow, type Reward, type RewardContext } from '../../engine/rewards/index.ts';
import { theSandbox } from '../../engine/sandbox/index.ts';
import { openWorldById } from '../../engine/worlds/index.ts';
import { rejected } from '../support/errors.ts';

afterAll(() => theSandbox().close());

const world = openWorldById('arithmetic');

/**
 * A stand-in model whose score depends only on the text. The tests of the reward model score a real
 * checkpoint.
 */
const checkpoint = async () => ({
  score: async (rows: readonly AnswerRow[]) =>
    Float64Array.from(rows, ({ completion }) => completion.length % 7),
});
/** A stand-in policy whose line scores sum to its score. */
const policy: RewardContext['policy'] = async () => {
  const lineScores = ({ completion }: AnswerRow) => completion.split('\n').map((line) => -line.length / 7);
  return {
    score: async (rows) => Float64Array.from(rows, (row) => lineScores(row).reduce((a, b) => a + b, 0)),
    lines: async (rows) => ({
      values: Float64Array.from(rows.flatMap(lineScores)),
      offsets: Uint32Array.from([0, ...rows.map((_, r) => rows.slice(0, r + 1).flatMap(lineScores).length)]),
    }),
  };
};
/** A stand-in for the run's initial model: features and answers that depend only on text. */
const initial: RewardContext['initial'] = {
  features: async (rows) => ({
    width: 3,
    values: Float64Array.from(
      rows.flatMap(({ completion }) => [1, completion.length % 5, completion.length % 3]),
    ),
  }),
  answers: async (rows, count) =>
    rows.flatMap((row) =>
      Array.from({ length: count }, (_, at) => ({
        ...row,
        completion: `${row.completion.slice(0, at)}#${at % 3}`,
        tokens: at + 3,
      })),
    ),
};
const open = (id: string, params: unknown) => {
  const found = rewards.find((reward) => reward.id === id);
  if (!found) throw new Error(`no reward ${id}`);
  return found.open(params, context);
};
const context: RewardContext = { world, checkpoint, policy, reference: true, initial, open };

/** Values for parameters without a default, such as a checkpoint's id. */
const required = (reward: Reward): Record<string, unknown> =>
  filled(z.toJSONSchema(reward.params, { io: 'input' }) as Schema);

interface Schema {
  readonly required?: string[];
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
}
const filled = ({ required: names = [], properties = {} }: Schema): Record<string, unknown> => {
  // an inner reward
  if (names.includes('id') && 'params' in properties) return { id: 'length' };
  return Object.fromEntries(
    names.map((name) => [
      name,
      properties[name].items
        ? [filled(properties[name].items)]
        : properties[name].properties
          ? filled(properties[name])
          : 'checkpoint-1',
    ]),
  );
};

/** References other than the world's own, for verifiers of other kinds of answers. */
const references: { readonly [id: string]: string } = {
  'match/json-schema': '{ "type": "integer" }',
  'match/unit-test': 'assert(true);',
  'tool-rules': '{"name": "add", "parameters": {"a": 1}}',
};

const worldRows: readonly AnswerRow[] = Array.from({ length: 200 }, (_, i) => {
  const { promptId, prompt, answer, reference } = world.demonstration(i, 1);
  return { promptId, prompt, completion: answer, reference, tokens: answer.length + 1, stopReason: 'end' };
});

/** Six answers to each of eight problems, in groups that are compared. */
const grouped: readonly AnswerRow[] = worldRows.slice(0, 8).flatMap((row, group) =>
  Array.from({ length: 6 }, (_, at) => {
    const completion =
      at % 3 === 0 ? row.completion : `${row.completion.slice(at)}${at % 2 === 0 ? '\n#7' : 'x'}`;
    return { ...row, group, completion, tokens: completion.length + 1 };
  }),
);
const close = (scores: Float64Array) => [...scores].map((score) => Math.round(score * 1e9) / 1e9);

describe.each(rewards.filter(({ compares }) => compares).map((reward) => [reward.id, reward] as const))(
  'reward %s, which compares answers',
  (id, reward) => {
    const rows = grouped.map((row) => ({ ...row, reference: references[id] ?? row.reference }));
    const score = async (given: readonly AnswerRow[]) =>
      (await reward.open(required(reward), context)).score(given);

    test('judges each group independently', async () => {
      const scores = close(await score(rows));
      expect(close(await score(rows.slice(12, 18)))).toEqual(scores.slice(12, 18));
      expect(await score([])).toHaveLength(0);
    });

    test('ignores the order of answers within a group, and of groups', async () => {
      const scores = close(await score(rows));
      expect(close(await score(rows.toReversed())).reverse()).toEqual(scores);
    });

    test('continues with the same bits from a state that was serialized as JSON', async () => {
      const [one, other] = [
        await reward.open(required(reward), context),
        await reward.open(required(reward), context),
      ];
      await one.score(rows.slice(0, 24));
      if (one.state) other.restore?.(JSON.parse(JSON.stringify(one.state())));
      expect(await other.score(rows)).toEqual(await one.score(rows));
      expect(other.state?.()).toEqual(one.state?.());
    });
  },
);

describe.each(rewards.map((reward) => [reward.id, reward] as const))('reward %s', (id, reward) => {
  const rows = worldRows.map((row) => ({ ...row, reference: references[id] ?? row.reference }));

  test('gives one finite score per row, the same for the same rows', async () => {
    const scorer = await reward.open(required(reward), context);
    const scores = await scorer.score(rows);
    expect(scores).toHaveLength(rows.length);
    expect(scores.every(Number.isFinite)).toBe(true);
    expect(await (await reward.open(required(reward), context)).score(rows)).toEqual(scores);
  });

  if (!reward.compares)
    test('scores each row independently of its order and neighbours', async () => {
      const scorer = await reward.open(required(reward), context);
      const scores = await scorer.score(rows);
      expect((await scorer.score([...rows].reverse())).reverse()).toEqual(scores);
      expect(await scorer.score(rows.slice(17, 18))).toEqual(scores.slice(17, 18));
      expect(await scorer.score([])).toHaveLength(0);
    });

  test('rejects unknown parameters', async () => {
    expect(await rejected(reward.open({ ...required(reward), nonsense: 1 }, context))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('nonsense'),
    });
  });

  test('reports what it needs when the run lacks it', async () => {
    for (const need of reward.needs) {
      expect(await rejected(reward.open(required(reward), { ...context, [need]: undefined }))).toMatchObject({
        kind: 'unsupported',
        message: expect.stringContaining(need),
      });
    }
  });

  test('describes every parameter', () => {
    const { properties = {} } = z.toJSONSchema(reward.params, { io: 'input' }) as {
      properties?: Record<string, { description?: string }>;
    };
    for (const [name, field] of Object.entries(properties)) expect(field.description, name).toBeTruthy();
  });
});

test('gives little reward for guessing', async () => {
  const verifier = await rewards.find((reward) => reward.id === 'verifier')?.open({}, context);
  const guesses = worldRows.map((row, i): AnswerRow => ({ ...row, completion: `#${(i * 7) % 31}` }));
  const scores = await verifier?.score(guesses);
  expect(scores?.reduce((sum, score) => sum + score, 0)).toBeLessThan(0.15 * worldRows.length);
});
