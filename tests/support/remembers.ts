import * as z from 'zod';
import { train } from '../../engine/rl/kernel/recipe.ts';
import { pipe, stage } from '../../engine/rl/kernel/stage.ts';
import { defineMethod } from '../../engine/rl/methods/define-method.ts';
import * as part from '../../engine/rl/parts/index.ts';
import { sum } from '../../engine/rl/kernel/objective.ts';

/** A running mean of rewards is the baseline: it outlives the batch. */
const runningBaseline = stage({
  id: 'runningBaseline',
  station: 'scorers',
  needs: ['reward/total'],
  adds: ['reward/total'],
  run: async ({ 'reward/total': rewards_R }, { memory }) => {
    const before = (memory.get('runningBaseline') ?? 0) as number;
    const mean = rewards_R.reduce((total, value) => total + value, 0) / Math.max(1, rewards_R.length);
    memory.set('runningBaseline', 0.9 * before + 0.1 * mean);
    return { columns: { 'reward/total': rewards_R.map((value) => value - before) } };
  },
});

/** A policy gradient whose stage keeps state, with a divergence from the policy of the batch before. */
export const remembers = defineMethod({
  id: 'remembers',
  title: 'Remembers',
  summary: '',
  cites: '',
  task: 'verifiable',
  produces: 'policy',
  suggested: {},
  params: z.object({}),
  recipe: (_, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups({ groupSize: 2 }),
        part.score(task.reward),
        runningBaseline,
        part.centerByGroup({ scaleBy: 'none' }),
        part.logpUnder('previous'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
        part.klTo('previous', { estimator: 'k3' }),
      ),
      epochs: 2,
    }),
});
