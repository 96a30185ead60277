import type { Effect } from './effect.ts';
import { from, unmeasured } from './shared.ts';

const ANSWERS = 4;
const task = {
  kind: 'world',
  id: 'program',
  params: { levels: 1, heldoutLevels: 0, tests: 3, wrong: 0, rambling: 0 },
} as const;
const models = {
  policy: {
    kind: 'new',
    architecture: { width: 48, layers: 2, heads: 4, context: 64 },
    tokenizer: { kind: 'characters' },
  },
} as const;
const sampling = { maxTokens: 6 };
/** An earlier program before the problem, as `#+2 program 1: …`. */
const template = { shown: '{attempts}{prompt}', attempt: '{attempt} ' };

/** Self-correction in two attempts, against the same number of answers to plain prompts. */
export const scoreGain: Effect = {
  id: 'score-gain',
  cluster: 3,
  system: 'score',
  title:
    'After training on two attempts with a bonus for progress, the second answer loses less against the first ' +
    'than after training on single answers (programs of one operation, three unit tests)',
  cites: 'arXiv:2409.12917',
  method: 'score (4 first and 4 second answers)',
  baseline: 'grpo (8 answers to plain prompts), its first answer shown at test time in the same way',
  measure: 'mean pass rate of second answers less that of first ones (4 of each, 128 held-out problems)',
  better: 'higher',
  note:
    'The paper’s own claim, a second answer better than the first, does not show: its second answers (.25) are below ' +
    'its first ones (.32), and both below the baseline’s plain answers (.42), which was never trained on shown answers.',
  plan: (seed) => {
    const trained = (method: object) => ({
      method,
      task,
      models: from('base'),
      optimizer: { learningRate: 5e-4, schedule: 'constant' },
      budget: { steps: 120, batch: 16 },
      sampling,
      evaluation: unmeasured,
      seed: seed + 100,
    });
    const rounds = (side: string) => ({
      id: `${side}-rounds`,
      spec: {
        method: { id: 'search-rounds', params: { groupSize: ANSWERS, rounds: 2, shows: 1, ...template } },
        task,
        models: from(side),
        budget: { steps: 2, batch: 64 },
        sampling,
        evaluation: { problems: 128 },
        seed: seed + 200,
      },
    });
    const base = {
      method: { id: 'sft' },
      task,
      models,
      optimizer: { learningRate: 4e-3, beta2: 0.95, schedule: 'linear' },
      budget: { steps: 300, batch: 32 },
      sampling,
      evaluation: unmeasured,
      seed,
    };
    return {
      nodes: [
        { id: 'base', spec: base },
        { id: 'method', spec: trained({ id: 'score', params: { groupSize: ANSWERS, ...template } }) },
        {
          id: 'baseline',
          spec: trained({ id: 'grpo', params: { groupSize: 2 * ANSWERS, klWeight: 0 } }),
        },
        rounds('method'),
        rounds('baseline'),
      ],
    };
  },
  number: async (runs) => {
    const { strategies } = await runs.result('search', `${runs.side}-rounds`);
    const points = strategies.find(({ id }) => id === 'mean')?.points ?? [];
    return points[points.length - 1].accuracy - points[0].accuracy;
  },
};
