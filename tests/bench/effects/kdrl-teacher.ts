import type { Effect } from './effect.ts';
import { from, imitation, sorting, unmeasured } from './shared.ts';

const { models, task, sampling } = sorting;
const STEPS = 60;

/** The start sorts some lists, its teacher most: the same model, trained three times as long. */
export const kdrlTeacher: Effect = {
  id: 'kdrl-teacher',
  cluster: 2,
  system: 'kdrl',
  title:
    'Rewards and a teacher’s probabilities of the same answers lead further than rewards alone (sorting three ' +
    'to seven digits)',
  cites: 'arXiv:2506.02208',
  method: 'kdrl, its teacher trained three times as long as the start',
  baseline: 'grpo',
  measure: `pass@1 on 96 held-out problems after ${STEPS} steps of 16 × 8 answers`,
  better: 'higher',
  note:
    'At the learning rate at which GRPO does not fall (1e-3, constant) 60 steps move either side little: the ' +
    'teacher’s divergence is a term of the same small steps. Tuning runs of 40 steps at 2e-3 were ahead by .04 and .15, where ' +
    'the baseline lost ground.',
  plan: (seed) => {
    const taught = (steps: number, own: number) => ({
      ...imitation(steps),
      models,
      task,
      sampling,
      evaluation: unmeasured,
      seed: own,
    });
    const sharpened = {
      task,
      optimizer: { learningRate: 1e-3, schedule: 'constant' },
      budget: { steps: STEPS, batch: 16 },
      sampling,
      evaluation: { problems: 96, samples: 4 },
      seed: seed + 100,
    };
    const start = from('base');
    return {
      nodes: [
        { id: 'base', spec: taught(160, seed) },
        { id: 'teacher', spec: taught(500, seed + 50) },
        {
          id: 'method',
          spec: {
            ...sharpened,
            method: { id: 'kdrl', params: { teacherWeight: 1, teacherWeightEnd: 0.25 } },
            models: { ...start, teacher: from('teacher').policy },
          },
        },
        {
          id: 'baseline',
          spec: {
            ...sharpened,
            method: { id: 'grpo', params: { klWeight: 0, average: 'token' } },
            models: start,
          },
        },
      ],
    };
  },
  number: async (runs) => (await runs.evaluation()).passAt1,
};
