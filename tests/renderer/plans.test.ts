import { expect, it } from 'vitest';
import type { PlanNode } from '../../preload/contract/plans.ts';
import { doingNow, resultText } from '../../renderer/features/plans/nodes.ts';

const node = (id: string, more: Partial<PlanNode> = {}): PlanNode => ({
  id,
  kind: 'run',
  state: 'done',
  needs: [],
  does: 'grpo',
  runId: `run of ${id}`,
  datasetId: null,
  labelSetId: null,
  rows: null,
  step: 0,
  steps: 10,
  evaluation: {},
  error: null,
  ...more,
});

it('says what the runs of a plan do at the moment, apart from the rows of its nodes', () => {
  const runs = new Map([
    ['run of a', { phase: 'training (evaluating not timed yet)' }],
    ['run of b', { phase: 'evaluating' }],
  ]);
  const state = 'running';
  expect(
    doingNow([node('a', { state }), node('b'), node('c', { runId: null, state: 'waiting' })], runs),
  ).toBe('a: training (evaluating not timed yet)');
  expect(doingNow([node('a', { state }), node('b', { state })], runs)).toBe(
    'a: training (evaluating not timed yet) · b: evaluating',
  );
  expect(doingNow([node('a')], runs)).toBe('');
});

it('names the measures of a result as the tables do', () => {
  expect(resultText(node('a', { evaluation: { pass_at_1: 0.25, loss: 2 } }))).toBe('pass@1 .250, loss 2');
  const explored = { return: 0, 'coverage/states': 0.401 };
  expect(resultText(node('c', { evaluation: explored }))).toBe('return 0, visited .401');
  expect(resultText(node('d', { rows: 1 }))).toBe('1 row');
  expect(resultText(node('d', { rows: 20 }))).toBe('20 rows');
});
