import type { PlanPreset } from './preset.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 6, length: 3, wrong: 0.4 } } as const;
const world = { id: task.id, params: task.params };
const evaluation = { problems: 150, samples: 4, world };
const sampling = { maxTokens: 5 };
const tokenizer = { kind: 'characters' } as const;

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
    'A strong model learns from a weak one without labels: first from answers on which both agree, then from its own ' +
    'confident answers, then by DPO with confident answers over other ones. “naive” learns from all weak answers.',
  plan: {
    name: 'Weak-to-strong reasoning',
    summary:
      'arXiv:2407.13647: agreement filter (stage 1), own confident answers, DPO of these over other answers, weak and own ones (stage 2).',
    specs: {
      writes: { task, sampling, rewards: [{ id: 'verifier' }], budget: { steps: 6, batch: 16 } },
      learns: { method: { id: 'sft' }, sampling, budget: { steps: 80, batch: 16 }, evaluation },
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
              architecture: { width: 16, layers: 1, heads: 2, context: 16 },
              tokenizer,
            },
          },
          budget: { steps: 400 },
        },
      },
      {
        id: 'strong',
        use: 'learns',
        spec: {
          task,
          models: {
            policy: {
              kind: 'new',
              architecture: { width: 48, layers: 2, heads: 4, context: 16 },
              tokenizer,
            },
          },
        },
      },
      writes('weak-answers', 'weak', 7, 4),
      writes('strong-answers', 'strong', 7, 4),
      // wrong ones, too: no label but the weak model's
      learns('naive', 'strong', 'weak-answers', [], { onlyCorrect: false }),
      learns('stage-1', 'strong', ['weak-answers', 'strong-answers'], [{ id: 'agree' }]),
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
            operators: [{ id: 'majority', params: { agreement: 0.6, by: 'confident' } }, { id: 'distinct' }],
            heldout: 0.1,
          },
          optimizer: { learningRate: 1e-4 },
          budget: { steps: 30 },
        },
      },
    ],
  },
};
