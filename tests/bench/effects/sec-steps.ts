import { uniform } from '../../../engine/random/random.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import type { Effect } from './effect.ts';
import { from, imitation, sorting } from './shared.ts';

const BUDGET = 120;
const { models, task, sampling } = sorting;
const evaluation = {
  problems: 96,
  samples: 4,
  every: 5,
  world: { id: task.id, params: task.params },
};

/**
 * For each further digit 0.3 of the demonstrations: the initial policy sorts three digits nearly always,
 * seven hardly ever.
 */
const demonstrations = (seed: number) => {
  const world = openWorldById(task.id, task.params);
  return Array.from({ length: 12_000 }, (_, i) => world.demonstration(i, seed))
    .filter(
      ({ reference }, i) => uniform(seed, 'demonstrations', i) < 0.3 ** (reference.split(' ').length - 3),
    )
    .map(({ promptId, prompt, answer, reference, correct }) => ({
      promptId,
      prompt,
      answer,
      reference,
      correct,
    }));
};

/** If the levels are far apart, uniformly drawn problems are often too easy or too hard to teach anything. */
export const secSteps: Effect = {
  id: 'sec-steps',
  cluster: null,
  system: 'sec',
  title:
    'A curriculum of levels whose answers differ most reaches a pass rate sooner than all levels equally ' +
    'often (sorting three to seven digits)',
  cites: 'arXiv:2505.14970',
  method: 'grpo, controller sec',
  baseline: 'grpo, levels equally often',
  measure:
    'steps of 16 × 8 answers until a quarter of what the start fails is solved (pass@1, looked at every 5 ' +
    `steps; never: ${BUDGET}, the budget)`,
  better: 'lower',
  data: (seed) => ({ demonstrations: demonstrations(seed) }),
  plan: (seed, datasets) => {
    const sharpened = (controllers: readonly object[]) => ({
      method: { id: 'grpo', params: { klWeight: 0 } },
      task,
      models: from('base'),
      controllers,
      optimizer: { learningRate: 5e-4, schedule: 'constant' },
      budget: { steps: BUDGET, batch: 16 },
      sampling,
      evaluation,
      seed: seed + 100,
    });
    const base = {
      ...imitation(400),
      models,
      task: { kind: 'dataset', datasetId: datasets.demonstrations, heldout: 0 },
      sampling,
      evaluation: { ...evaluation, every: 0 },
      seed,
    };
    return {
      nodes: [
        { id: 'base', spec: base },
        { id: 'method', spec: sharpened([{ id: 'sec' }]) },
        { id: 'baseline', spec: sharpened([]) },
      ],
    };
  },
  number: async (runs) => {
    const { passAt1: begins } = (await runs.evaluations('base'))[0];
    const goal = begins + (1 - begins) / 4;
    return (await runs.evaluations()).find(({ passAt1 }) => passAt1 >= goal)?.step ?? BUDGET;
  },
};
