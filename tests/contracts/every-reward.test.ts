import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { rewards, type AnswerRow, type Reward, type RewardContext } from '../../engine/rewards/index.ts';
import { theSandbox } from '../../engine/sandbox/index.ts';
import { openWorldById } from '../../engine/worlds/index.ts';
import { rejected } from '../support/errors.ts';

afterAll(() => theSandbox().close());

const world = openWorldById('arithmetic');

/** A stand-in model: a score that depends on the text alone. A real checkpoint is scored in the tests of the reward model. */
const checkpoint = async () => ({ score: async (rows: readonly AnswerRow[]) => Float64Array.from(rows, ({ completion }) => completion.length % 7) });
const context: RewardContext = { world, checkpoint, policy: checkpoint, reference: true };

/** Parameters that a reward cannot do without (a checkpoint's id has no default). */
const required = (reward: Reward): Record<string, unknown> => filled(z.toJSONSchema(reward.params, { io: 'input' }) as Schema);

interface Schema { readonly required?: string[]; readonly properties?: Record<string, Schema> }
const filled = ({ required: names = [], properties = {} }: Schema): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, properties[name].properties ? filled(properties[name]) : 'checkpoint-1']));

/** References that are not the world's own: what a verifier of another kind of answer compares with. */
const references: { readonly [id: string]: string } = { 'match/json-schema': '{ "type": "integer" }', 'match/unit-test': 'assert(true);' };

const worldRows: readonly AnswerRow[] = Array.from({ length: 200 }, (_, i) => {
  const { promptId, prompt, answer, reference } = world.demonstration(i, 1);
  return { promptId, prompt, completion: answer, reference, tokens: answer.length + 1, stopReason: 'end' };
});

describe.each(rewards.map((reward) => [reward.id, reward] as const))('reward %s', (id, reward) => {
  const rows = worldRows.map((row) => ({ ...row, reference: references[id] ?? row.reference }));

  test('gives one finite score a row, the same for the same rows', async () => {
    const scorer = await reward.open(required(reward), context);
    const scores = await scorer.score(rows);
    expect(scores).toHaveLength(rows.length);
    expect(scores.every(Number.isFinite)).toBe(true);
    expect(await (await reward.open(required(reward), context)).score(rows)).toEqual(scores);
  });

  test('scores each row on its own: order and neighbours do not matter', async () => {
    const scorer = await reward.open(required(reward), context);
    const scores = await scorer.score(rows);
    expect((await scorer.score([...rows].reverse())).reverse()).toEqual(scores);
    expect(await scorer.score(rows.slice(17, 18))).toEqual(scores.slice(17, 18));
    expect(await scorer.score([])).toHaveLength(0);
  });

  test('refuses parameters that it does not know', async () => {
    expect(await rejected(reward.open({ ...required(reward), nonsense: 1 }, context))).toMatchObject({ kind: 'invalid-input', message: expect.stringContaining('nonsense') });
  });

  test('says what it needs where the run has it not', async () => {
    for (const need of reward.needs) {
      expect(await rejected(reward.open(required(reward), { ...context, [need]: undefined }))).toMatchObject({ kind: 'unsupported', message: expect.stringContaining(need) });
    }
  });

  test('describes every parameter', () => {
    const { properties = {} } = z.toJSONSchema(reward.params, { io: 'input' }) as { properties?: Record<string, { description?: string }> };
    for (const [name, field] of Object.entries(properties)) expect(field.description, name).toBeTruthy();
  });
});

test('guessing earns little from the verifier', async () => {
  const verifier = await rewards.find((reward) => reward.id === 'verifier')?.open({}, context);
  const guesses = worldRows.map((row, i): AnswerRow => ({ ...row, completion: `#${(i * 7) % 31}` }));
  const scores = await verifier?.score(guesses);
  expect(scores?.reduce((sum, score) => sum + score, 0)).toBeLessThan(0.15 * worldRows.length);
});
