import type { PlanPreset } from './preset.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 6, length: 3, wrong: 0.4 } } as const;
const world = { id: task.id, params: task.params };
const evaluation = { problems: 150, samples: 4, world };
const sampling = { maxTokens: 5 };
const tokenizer = { kind: 'characters' } as const;
/** Between shown examples, in characters of the world; no prompt has it. */
const separator = '>>';
const shown = { id: 'examples', params: { count: 1, separator } };

const from = (node: string) => ({ models: { policy: { kind: 'checkpoint', checkpointId: { node } } } });
const writes = (id: string, node: string, seed: number, groupSize: number) => ({
  id,
  use: 'writes',
  spec: { ...from(node), method: { id: 'sample', params: { groupSize } }, seed },
});
const learns = (
  id: string,
  node: string,
  answers: string | string[],
  operators: readonly object[],
  own: object = {},
) => ({
  id,
  use: 'learns',
  spec: { ...from(node), task: { kind: 'run', answers, operators, heldout: 0.1, ...own } },
});
const own = { id: 'majority', params: { agreement: 0.6 } };

/** Yang, Ma and Liu 2024, arXiv:2407.13647: two stages, no label but the weak model's. */
export const weakToStrong: PlanPreset = {
  id: 'weak-to-strong-reasoning',
  title: 'Weak-to-strong reasoning',
  summary:
    'A strong model learns from a weak one without labels: first from answers on which the weak one agrees with its own ' +
    'to shown weak examples, then from its confident answers, then by DPO of these over wrong weak ones. “naive” learns ' +
    'from all weak answers.',
  plan: {
    name: 'Weak-to-strong reasoning',
    summary:
      'arXiv:2407.13647: agreement with in-context answers (stage 1), own confident answers, DPO of these over weak ones (stage 2).',
    specs: {
      writes: { task, sampling, rewards: [{ id: 'verifier' }], budget: { steps: 6, batch: 16 } },
      learns: {
        method: { id: 'sft' },
        sampling,
        optimizer: { learningRate: 3e-3 },
        budget: { steps: 80, batch: 16 },
        evaluation,
      },
    },
    nodes: [
      {
        id: 'weak',
        use: 'learns',
        spec: {
          task,
          models: {
            policy: {
              kind: 'new',
              architecture: { width: 16, layers: 1, heads: 2, context: 32 },
              tokenizer,
            },
          },
          budget: { steps: 400 },
        },
      },
      {
        id: 'pretrained',
        use: 'learns',
        spec: {
          task,
          models: {
            policy: {
              kind: 'new',
              architecture: { width: 48, layers: 2, heads: 4, context: 32 },
              tokenizer,
            },
          },
        },
      },
      writes('own-answers', 'pretrained', 5, 2),
      // it learns to read shown examples from its own answers, so that no label is used
      learns('strong', 'pretrained', 'own-answers', [{ ...shown, params: { ...shown.params, keep: true } }], {
        onlyCorrect: false,
      }),
      writes('weak-answers', 'weak', 7, 4),
      { id: 'shown', answers: 'weak-answers', operators: [{ id: 'first' }, shown] },
      {
        id: 'in-context',
        use: 'writes',
        spec: {
          ...from('strong'),
          method: { id: 'sample', params: { groupSize: 4 } },
          task: { kind: 'dataset', datasetId: { node: 'shown' }, heldout: 0 },
          rewards: [],
        },
      },
      // wrong ones, too: no label but the weak model's
      learns('naive', 'strong', 'weak-answers', [], { onlyCorrect: false }),
      learns(
        'stage-1',
        'strong',
        ['weak-answers', 'in-context'],
        [{ id: 'plain', params: { separator } }, { id: 'agree' }],
      ),
      writes('stage-1-answers', 'stage-1', 8, 8),
      learns('stage-1b', 'stage-1', 'stage-1-answers', [own, { id: 'correct' }]),
      writes('confident', 'stage-1b', 9, 8),
      writes('weak-again', 'weak', 9, 4),
      {
        id: 'stage-2',
        use: 'learns',
        spec: {
          ...from('stage-1b'),
          method: { id: 'dpo', params: { beta: 0.1 } },
          task: {
            kind: 'run',
            answers: ['confident', 'weak-again'],
            operators: [
              { id: 'majority', params: { agreement: 0.6, by: 'confident' } },
              {
                id: 'pair-by-run',
                params: { chosen: ['confident'], rejected: ['weak-again'], column: 'correct' },
              },
            ],
            heldout: 0.1,
          },
          optimizer: { learningRate: 1e-4 },
          budget: { steps: 30 },
        },
      },
    ],
  },
};
