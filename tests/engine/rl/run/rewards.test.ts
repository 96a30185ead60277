import { describe, expect, test } from 'vitest';
import { checkSpec } from '../../../../engine/index.ts';
import { FaultLog } from '../../../../engine/rl/run/fault-log.ts';
import { checkRecorded, openRewards, type Scoring } from '../../../../engine/rl/run/rewards.ts';
import { canEvaluate, openEvalScorers } from '../../../../engine/rl/run/eval-scorers.ts';
import { openTask } from '../../../../engine/rl/run/open-task.ts';
import type { AnswerRow } from '../../../../engine/rewards/index.ts';
import { Device, Tally } from '../../../../engine/runtime/index.ts';
import type { RunSpec, RunSpecInput } from '../../../../engine/schema/run-spec.ts';
import { rejected } from '../../../support/errors.ts';
import { noResources, toyModel } from '../../../support/toy-run.ts';

const scoring: Scoring = {
  device: new Device({ id: 'cpu', tally: new Tally() }),
  resources: noResources,
  faults: new FaultLog(),
  isRehearsal: false,
};
const spec = (more: Partial<RunSpecInput> = {}): RunSpec =>
  checkSpec({
    method: { id: 'grpo' },
    task: { kind: 'world', id: 'toy/copy' },
    models: toyModel,
    sampling: { maxTokens: 4 },
    ...more,
  });
const answer = (completion: string): AnswerRow => ({
  promptId: 'p',
  prompt: 'abc',
  completion,
  reference: null,
  group: 0,
  tokens: completion.length,
  stopReason: 'end',
});
const novelty = { id: 'novelty', weight: 1 };

describe('the rewards of a run', () => {
  test('have the path of their field: both those to train on and those only recorded', async () => {
    const { rewards, evaluation } = spec({
      rewards: [novelty, { id: 'length', weight: 0.5 }],
      evaluation: { rewards: [{ id: 'length' }] },
    });
    const opened = await openRewards({ rewards, evaluation }, undefined, scoring, []);
    expect(opened.stack.scorers).toEqual(['novelty', 'length']);
    expect(opened.own.map(({ id, weight, where }) => [id, weight, where])).toEqual([
      ['novelty', 1, 'rewards.0'],
      ['length', 0.5, 'rewards.1'],
    ]);
    expect(opened.recorded.map(({ id, weight, where }) => [id, weight, where])).toEqual([
      ['length', 0, 'evaluation.rewards.0'],
    ]);
  });

  test('that adapt to batches score an evaluation with their current state, and do not adapt to it', async () => {
    const rewards = await openRewards(spec({ rewards: [novelty] }), undefined, scoring, []);
    await rewards.stack.score([answer('abcabc')]);
    const known = rewards.stack.state();
    const opened = await rewards.open(rewards.own, undefined);
    const atEvaluation = rewards.asLearned(opened);
    const totals = [];
    for (const text of ['abcabc', 'xyzxyz', 'xyzxyz'])
      totals.push((await atEvaluation.score([answer(text)])).total[0]);
    expect(totals).toEqual([0, 1, 1].map((total) => expect.closeTo(total, 9) as number));
    expect(rewards.stack.state()).toEqual(known);
  });

  test('are validated together with those only recorded: rejects one that cannot be opened', async () => {
    const recorded = spec({
      evaluation: { rewards: [{ id: 'reward-model', params: { checkpointId: 'gone' } }] },
    });
    const { data } = await openTask({ spec: recorded, resources: noResources });
    expect((await rejected(checkRecorded(recorded, data, scoring))).where).toContain('evaluation.rewards.0');
    await checkRecorded(spec(), data, scoring);
  });
});

describe('the scorers of an evaluation', () => {
  const openFor = async (more: Partial<RunSpecInput>) => {
    const own = spec(more);
    const { data, method } = await openTask({ spec: own, resources: noResources });
    const rewards = await openRewards(own, data.world, scoring, []);
    return { rewards, task: { data, spec: own, method } };
  };

  test('end with the reward for correct answers of the world', async () => {
    const { rewards, task } = await openFor({ rewards: [{ id: 'length', weight: 1 }] });
    const found = await openEvalScorers(task, rewards);
    expect(found?.stack.scorers).toEqual(['length', 'verifier']);
    expect(found?.proxy).toBe('total');
  });

  test('have no proxy if the world’s reward is the only one', async () => {
    const { rewards, task } = await openFor({ rewards: [{ id: 'verifier', weight: 1 }] });
    expect((await openEvalScorers(task, rewards))?.proxy).toBeNull();
  });

  test('are empty without evaluation problems', async () => {
    const { rewards, task } = await openFor({});
    const data = { ...task.data, evaluationWorld: undefined };
    expect(canEvaluate({ evalProblems: 4, data: task.data }, rewards)).toBe(true);
    expect(canEvaluate({ evalProblems: 0, data: task.data }, rewards)).toBe(false);
    expect(canEvaluate({ evalProblems: 4, data }, rewards)).toBe(false);
    expect(await openEvalScorers({ data }, rewards)).toBeUndefined();
  });
});
