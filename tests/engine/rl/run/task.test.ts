import { describe, expect, test } from 'vitest';
import { checkSpec } from '../../../../engine/index.ts';
import { openTask, readableData } from '../../../../engine/rl/run/open-task.ts';
import { Task } from '../../../../engine/rl/run/task.ts';
import type { RunSpecInput } from '../../../../engine/schema/run-spec.ts';
import { noResources, toyModel } from '../../../support/toy-run.ts';

const recipe = { roles: {}, buffers: {}, schedule: [] };
const open = async (more: Pick<RunSpecInput, 'method' | 'task'> & Partial<RunSpecInput>): Promise<Task> => {
  const spec = checkSpec({
    models: toyModel,
    sampling: { maxTokens: 4 },
    evaluation: { problems: 40 },
    ...more,
  });
  const { method, tokenizer, ...opened } = await openTask({ spec, resources: noResources });
  return new Task({
    spec,
    method,
    recipe,
    tokenizer,
    ...readableData(spec, { method, tokenizer, ...opened }),
  });
};
const copy = { kind: 'world', id: 'toy/copy' } as const;
const pairs = { kind: 'world', id: 'toy/pairs' } as const;

describe('a task', () => {
  test.each([
    ['a policy', 'grpo', copy, { isEvaluated: true, evalProblems: 40, judgeOutput: undefined }],
    ['a judge', 'bradley-terry', pairs, { isEvaluated: true, evalProblems: 0 }],
    ['rows only', 'sample', copy, { isEvaluated: false, evalProblems: 0 }],
  ] as const)('that produces %s states how it is evaluated', async (_what, id, task, expected) => {
    expect(await open({ method: { id }, task })).toMatchObject(expected);
  });

  test('reads its judge’s score as the method specifies', async () => {
    const judge = await open({
      method: { id: 'multi-head-reward', params: { combine: 'mean' } },
      task: { kind: 'world', id: 'toy/pairs' },
    });
    expect(judge.judgeOutput).toMatchObject({ kind: 'scores', how: 'mean' });
  });

  test('with fewer held-out rows keeps its training data, and never evaluates on more rows', async () => {
    const whole = await open({ method: { id: 'dpo' }, task: pairs });
    const fewer = whole.withFewerHeldout(8);
    expect([whole.evalProblems, fewer.evalProblems]).toEqual([40, 8]);
    expect(whole.data.heldout.pairs.length).toBeGreaterThan(8);
    expect(fewer.data.heldout.pairs).toEqual(whole.data.heldout.pairs.slice(0, 8));
    expect(fewer.data.pairs).toBe(whole.data.pairs);
    expect(fewer.leftOut).toBe(whole.leftOut);
    expect(whole.withFewerHeldout(100).evalProblems).toBe(40);
  });
});

describe('an opened task', () => {
  test('serves several runs: each counts only the rows it leaves out itself', async () => {
    const spec = checkSpec({
      method: { id: 'sft' },
      task: { kind: 'world', id: 'arithmetic' },
      models: {
        policy: { ...toyModel.policy, architecture: { width: 8, layers: 1, heads: 1, context: 48 } },
      },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 20 },
    });
    const opened = await openTask({ spec, resources: noResources });
    const [first, second] = [readableData(spec, opened), readableData(spec, opened)];
    const before = second.leftOut.rows;
    for (let draw = 0; draw < 40; draw++) first.data.examples?.at(draw);
    expect(first.leftOut.training).toBeGreaterThan(0);
    expect(second.leftOut.rows).toBe(before);
  });
});
