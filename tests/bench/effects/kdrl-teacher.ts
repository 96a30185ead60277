import type { Effect } from './effect.ts';
import { from, imitation, sorting, unmeasured } from './shared.ts';

const { models, task, sampling } = sorting;
interface Trial {
  /** Updates of imitation of the teacher; the start has 160. */
  readonly taught: number;
  readonly steps: number;
  readonly optimizer: object;
  /** Weight of the teacher's divergence, first and last. */
  readonly weights: readonly [number, number];
}

const planOf =
  ({
    taught: lessons,
    steps,
    optimizer,
    weights: [teacherWeight, teacherWeightEnd],
  }: Trial): Effect['plan'] =>
  (seed) => {
    const taught = (updates: number, own: number) => ({
      ...imitation(updates),
      models,
      task,
      sampling,
      evaluation: unmeasured,
      seed: own,
    });
    const sharpened = {
      task,
      optimizer,
      budget: { steps, batch: 16 },
      sampling,
      evaluation: { problems: 96, samples: 4 },
      seed: seed + 100,
    };
    const start = from('base');
    return {
      nodes: [
        { id: 'base', spec: taught(160, seed) },
        { id: 'teacher', spec: taught(lessons, seed + 50) },
        {
          id: 'method',
          spec: {
            ...sharpened,
            method: { id: 'kdrl', params: { teacherWeight, teacherWeightEnd } },
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
  };

const shared = {
  cluster: 2,
  system: 'kdrl',
  title:
    'Rewards and a teacher’s probabilities of the same answers lead further than rewards alone (sorting three ' +
    'to seven digits)',
  cites: 'arXiv:2506.02208',
  baseline: 'grpo',
  better: 'higher',
  number: async (runs) => (await runs.evaluation()).passAt1,
} satisfies Partial<Effect>;

/** The start sorts some lists, its teacher most: the same model, trained three times as long. */
export const kdrlTeacher: Effect = {
  ...shared,
  id: 'kdrl-teacher',
  method: 'kdrl, its teacher trained three times as long as the start',
  measure: 'pass@1 on 96 held-out problems after 60 steps of 16 × 8 answers',
  note:
    'At the learning rate at which GRPO does not fall (1e-3, constant) 60 steps move either side little: the ' +
    'teacher’s divergence is a term of the same small steps. Tuning runs of 40 steps at 2e-3 were ahead by .04 and .15, where ' +
    'the baseline lost ground.',
  plan: planOf({
    taught: 500,
    steps: 60,
    optimizer: { learningRate: 1e-3, schedule: 'constant' },
    weights: [1, 0.25],
  }),
};

/** Second attempt: a teacher that sorts all lists, a decaying learning rate at which GRPO improves. */
export const kdrlTeacherStrong: Effect = {
  ...shared,
  id: 'kdrl-teacher-strong',
  method:
    'kdrl, its teacher trained nine times as long as the start; the divergence’s weight falls to a fifth',
  measure: 'pass@1 on 96 held-out problems after 100 steps of 16 × 8 answers',
  note:
    'Equal answers and updates; the teacher’s own training is not counted. Learning rate by GRPO alone (1e-3, 2e-3, ' +
    '3e-3 on seed 101); the weight is the best of .1 and 3 on seed 102, each falling linearly. Three fifths ' +
    'of the mean difference are seed 4’s, where GRPO reaches only .401.',
  plan: planOf({
    taught: 1500,
    steps: 100,
    optimizer: { learningRate: 3e-3, schedule: 'linear', warmup: 5 },
    weights: [0.1, 0.02],
  }),
};
