import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkSpec } from '../../../engine/index.ts';
import { methodFaults } from '../../../engine/rl/kernel/check.ts';
import { stubOf } from '../../../engine/rl/tasks/kinds/index.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { defineMethod } from '../../../engine/rl/methods/define-method.ts';
import type { Objective } from '../../../engine/rl/kernel/objective.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import {
  everyOutcome,
  onAnswer,
  softmax,
  tabularGraph,
  tabularParameters,
} from '../../../engine/rl/proof/tabular.ts';
import { coTrain, frozen, role, rowsOf } from '../../../engine/rl/kernel/recipe.ts';
import { broadcast, type Table } from '../../../engine/rl/kernel/rows.ts';
import { pipe } from '../../../engine/rl/kernel/stage.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import { found, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const LOGITS = [0.4, -0.7, 0.1];
const OLDER = [-0.9, 0.5, 0.8];
const CREDIT = [1, -0.5, 0.25];

/**
 * Every outcome once, weighted by its probability under a policy with these logits, and with that log-
 * probability.
 */
const drawnBy = (logits: readonly number[]): Table => {
  const p = softmax(logits);
  const rows = everyOutcome(p.length);
  return {
    ...rows,
    weight: p.map((share) => share * p.length),
    behaviorLogp: onAnswer(p.map(Math.log)),
    'logp/policy': onAnswer(softmax(LOGITS).map(Math.log)),
    advantage: broadcast(CREDIT, rows.mask),
  };
};
const slope = async (objective: Objective, table: Table): Promise<ArrayLike<number>> =>
  (
    await new Updater({
      device,
      graph: tabularGraph(LOGITS.length),
      parameters: tabularParameters(LOGITS),
      objective,
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 1 },
      temperature: 1,
      steps: 1,
    }).gradient(table)
  ).gradient;

describe('rows from an older policy, corrected by the importance ratio', () => {
  const own = () => slope(part.scoreFunction(), drawnBy(LOGITS));
  test.each([
    ['a ratio that nothing clips', part.clippedSurrogate({ clipLow: 1, clipHigh: 1e6 })],
    [
      'a ratio to the newest policy, and its weight',
      part.decoupledSurrogate({ clipLow: 0.2, clipHigh: 0.2, cap: 1e6 }),
    ],
    ['a weight that nothing truncates', part.truncatedWeights({ clipLow: 1, clipHigh: 1e6 })],
  ])('give the policy’s own gradient: %s', async (_, objective) => {
    const [wanted, stale] = [await own(), await slope(objective, drawnBy(OLDER))];
    Array.from(wanted).forEach((value, at) => expect(stale[at]).toBeCloseTo(value, 5));
  });
  test('give a different gradient without the correction', async () => {
    const [wanted, stale] = [await own(), await slope(part.scoreFunction(), drawnBy(OLDER))];
    expect(Math.max(...Array.from(wanted, (value, at) => Math.abs(value - stale[at])))).toBeGreaterThan(0.05);
  });
});

/** A policy that trains on the newest rows of a buffer, including its own rows of earlier turns. */
const replay = defineMethod({
  id: 'replay',
  title: 'Replay',
  summary: 'Learns from stored rows.',
  cites: 'a test',
  task: 'verifiable',
  produces: 'policy',
  suggested: {},
  params: z.object({ groupSize: z.int().default(4) }),
  recipe: (p, task) =>
    coTrain({
      buffers: { kept: rowsOf('policy', { last: 3 * 16 * p.groupSize }) },
      roles: {
        policy: frozen(
          pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.centerByGroup({ scaleBy: 'sample' }),
          ),
        ),
        learner: role({
          rows: pipe(part.rowsFrom('kept', ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'])),
          objective: part.truncatedWeights({ clipLow: 1, clipHigh: 1 }),
        }),
      },
      schedule: [{ turns: { policy: 0, learner: 1 } }],
    }),
});

test('replayed rows come from the same record, with their log-probabilities at sampling', async () => {
  expect(methodFaults(replay, stubOf)).toEqual([]);
  const seen = await runToy(
    device,
    checkSpec({
      method: { id: 'grpo', params: { groupSize: 4 } },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy' },
      optimizer: { learningRate: 5e-3 },
      budget: { steps: 30, batch: 16 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 0 },
    }),
    { method: replay },
  );
  const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
  expect(rows).toHaveLength(30 * 16 * 4);
  // the sampler's role never trains: the ratios measure how far the learner has moved from it
  expect(new Set(rows.map(({ policyVersion }) => policyVersion))).toEqual(new Set(['toy/1/policy/0']));
  expect(found(seen, 'clip_ratio/high')).toBeGreaterThan(0);
});
