import type { PlanPreset } from './preset.ts';

const world = {
  id: 'sorting',
  params: { method: 'none', levels: 2, heldoutLevels: 0, wrong: 0, rambling: 0 },
} as const;
const task = { kind: 'world', ...world } as const;
const models = {
  policy: {
    kind: 'new',
    architecture: { width: 32, layers: 1, heads: 2, context: 32 },
    tokenizer: { kind: 'characters' },
  },
} as const;

/** Kallini et al. 2024, arXiv:2401.06416: which orders of a language are hard to learn. */
export const impossibleLanguages: PlanPreset = {
  id: 'impossible-languages',
  title: 'Impossible languages',
  summary:
    'The same answers as they are, reversed, permuted by length, in windows, and at random: a new model learns from ' +
    'each, and its held-out loss over the steps (eval/loss) tells how hard the order is.',
  plan: {
    name: 'Impossible languages',
    summary: 'arXiv:2401.06416: held-out loss on a graded family of perturbed copies of one corpus.',
    specs: {
      learns: {
        method: { id: 'sft' },
        models,
        optimizer: { learningRate: 5e-3 },
        budget: { steps: 120, batch: 32 },
        sampling: { maxTokens: 12 },
        evaluation: { every: 20, problems: 40, samples: 1, world },
      },
    },
    nodes: [
      {
        id: 'speaker',
        use: 'learns',
        spec: { task, budget: { steps: 400 }, evaluation: { every: 0 } },
      },
      {
        id: 'corpus',
        spec: {
          task,
          method: { id: 'sample', params: { groupSize: 2 } },
          models: { policy: { kind: 'checkpoint', checkpointId: { node: 'speaker' } } },
          rewards: [{ id: 'verifier' }],
          budget: { steps: 20, batch: 64 },
          sampling: { maxTokens: 12 },
          evaluation: { problems: 0 },
        },
      },
      {
        id: 'order',
        matrix: [
          {
            set: 'learn.task.operators',
            names: ['natural', 'reverse', 'by-length', 'local', 'random'],
            values: [
              [],
              ...['reverse', 'by-length', 'local', 'random'].map((how) => [
                { id: 'perturb', params: { how } },
              ]),
            ],
          },
        ],
        body: [
          {
            id: 'learn',
            use: 'learns',
            spec: { task: { kind: 'run', answers: 'corpus', onlyCorrect: false, heldout: 0.2 } },
          },
        ],
      },
    ],
  },
};
