import { uniform } from '../../../engine/random/random.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import type { Claim } from './claim.ts';
import { pairedRuns, evaluations, imitation, sorting, type ToySpec } from './world.ts';

const BUDGET = 120;
const { models, task, sampling } = sorting;
const evaluation: ToySpec['evaluation'] = {
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
export const secSteps: Claim = {
  id: 'sec-steps',
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
  of: (lab, seed) => {
    let goal = 1;
    return pairedRuns(
      async ({ run, dataset }) => {
        await dataset('demonstrations', demonstrations(seed));
        const seen = await run(
          {
            ...imitation(400),
            models,
            task: { kind: 'dataset', datasetId: 'demonstrations', heldout: 0 },
            sampling,
            evaluation: { ...evaluation, every: 0 },
            seed,
          },
          { as: 'base' },
        );
        const begins = evaluations(seen)[0].passAt1;
        goal = begins + (1 - begins) / 4;
      },
      async (run, side, from) => {
        const seen = await run(
          {
            method: { id: 'grpo', params: { klWeight: 0 } },
            task,
            ...(side === 'method' && { controllers: [{ id: 'sec' }] }),
            optimizer: { learningRate: 5e-4, schedule: 'constant' },
            budget: { steps: BUDGET, batch: 16 },
            sampling,
            evaluation,
            seed: from,
          },
          { from: 'base' },
        );
        return evaluations(seen).find(({ passAt1 }) => passAt1 >= goal)?.step ?? BUDGET;
      },
    )(lab, seed);
  },
};
