import type { PlanPreset } from './preset.ts';

/** The tasks of the family: rules of the world `toy/rewriting`, the commonest of its mixture first. */
export const rules = ['reverse', 'next', 'rotate', 'swap', 'sort', 'previous'] as const;

const worldOf = (rule: string, params: object = {}) => ({ id: 'toy/rewriting', params: { rule, ...params } });
const sampling = { maxTokens: 5 };

/** How large an experiment is: its tasks, steps, and held-out problems of each evaluation. */
export interface FamilySize {
  readonly tasks: readonly string[];
  readonly seed: number;
  /** Updates of the start, and of each adaptation. */
  readonly learned: number;
  readonly steps: number;
  /** Evaluate after so many updates; 0: only at the end. */
  readonly every: number;
  readonly problems: number;
}

const measured = ({ tasks, problems }: FamilySize, every: number) => ({
  evaluation: { problems, samples: 2, every, world: worldOf('mixture') },
  evaluations: tasks.map((name) => ({ name, world: worldOf(name), problems, samples: 2 })),
});

/** The start: it imitates a mixture of all rules, a fifth of whose rows follow another rule than they say. */
const start = (size: FamilySize) => ({
  id: 'base',
  spec: {
    method: { id: 'sft' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 48, layers: 2, heads: 2, context: 16 },
        tokenizer: { kind: 'characters' },
      },
    },
    task: { kind: 'world', ...worldOf('mixture', { wrong: 0.2 }) },
    sampling,
    optimizer: { learningRate: 4e-3, schedule: 'linear' },
    budget: { steps: size.learned, batch: 64 },
    ...measured(size, 0),
    seed: size.seed,
  },
});

const imitation = { optimizer: { learningRate: 5e-4, schedule: 'constant' }, budget: { batch: 64 } } as const;
const recipes = {
  sft: { method: { id: 'sft' }, ...imitation },
  lwf: { method: { id: 'lwf', params: { keepWeight: 0.3 } }, ...imitation },
  grpo: {
    method: { id: 'grpo', params: { klWeight: 0.3, groupSize: 8 } },
    optimizer: { learningRate: 2e-4, schedule: 'constant' },
    // as many answers a step as rows of the others
    budget: { batch: 8 },
  },
} as const;
const checkpointOf = (node: string) => ({ kind: 'checkpoint', checkpointId: { node } });

/** The start, and from it each recipe on each task; `wise` averages the weights of `sft` and of the start. */
export const familyNodes = (size: FamilySize): object[] => [
  start(size),
  ...size.tasks.flatMap((rule) => {
    const task = { kind: 'world', ...worldOf(rule) };
    const adapted = Object.entries(recipes).map(([id, recipe]) => ({
      id: `${id}-${rule}`,
      spec: {
        ...recipe,
        models: { policy: checkpointOf('base') },
        task,
        sampling,
        budget: { ...recipe.budget, steps: size.steps },
        ...measured(size, size.every),
        seed: size.seed + 50,
      },
    }));
    const policy = {
      ...checkpointOf(`sft-${rule}`),
      average: [{ checkpointId: { node: 'base' }, weight: 0.5 }],
    };
    const averaged = {
      method: { id: 'sft' },
      models: { policy },
      task,
      sampling,
      budget: { steps: 0 },
      ...measured(size, 0),
      seed: size.seed,
    };
    return [...adapted, { id: `wise-${rule}`, spec: averaged }];
  }),
];

/** arXiv:2410.21582, with rules of rewriting in place of pictures. */
export const robustness: PlanPreset = {
  id: 'robustness',
  title: 'Robustness inheritance (sample of ImageNet-RIB)',
  summary:
    'A model that rewrites strings by a mixture of rules is adapted to each of three rules by imitation, learning ' +
    'without forgetting, averaged weights and GRPO with a divergence: what each gains, and loses on the others.',
  sample: {
    title: 'Robustness',
    about:
      'One model is adapted to three rules by four recipes: what each gains, and loses on the other rules. ' +
      'About a minute.',
  },
  plan: {
    name: 'Robustness',
    summary: 'arXiv:2410.21582: what adapting to one task costs on its relatives, for four recipes.',
    nodes: familyNodes({
      tasks: ['reverse', 'swap', 'previous'],
      seed: 0,
      learned: 600,
      steps: 40,
      every: 0,
      problems: 40,
    }),
  },
};
