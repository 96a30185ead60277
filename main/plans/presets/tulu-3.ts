import type { PlanPreset } from './preset.ts';
import { smallPolicy } from './shared.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 4, length: 3, wrong: 0.3 } } as const;
const world = { id: task.id, params: task.params };
const evaluation = { problems: 100, samples: 4, world };
const sampling = { maxTokens: 5 };
const at = (node: string) => ({ kind: 'checkpoint', checkpointId: { node } });
const labels = { kind: 'labels', labelSetId: { node: 'labels' } };

/** Lambert et al. 2024, arXiv:2411.15124, section 6: PPO on verdicts, its critic from a reward model. */
export const tulu3: PlanPreset = {
  id: 'tulu-3',
  title: 'Supervised, preferences, verdicts (TÜLU 3)',
  summary:
    'A whole post-training recipe: demonstrations, DPO on labeled pairs of its own answers, then PPO on verdicts ' +
    'alone (10 for a right answer), whose critic starts from a reward model of the same labels.',
  plan: {
    name: 'Supervised, preferences, verdicts',
    summary: 'arXiv:2411.15124: SFT, DPO, and PPO on verdicts with the critic from a reward model.',
    nodes: [
      {
        id: 'sft',
        spec: {
          task,
          method: { id: 'sft' },
          ...smallPolicy(24),
          optimizer: { learningRate: 5e-3 },
          sampling,
          budget: { steps: 80, batch: 32 },
          evaluation,
        },
      },
      {
        id: 'write',
        spec: {
          task,
          method: { id: 'sample', params: { groupSize: 6 } },
          models: { policy: at('sft') },
          rewards: [{ id: 'verifier' }],
          sampling,
          budget: { steps: 4, batch: 32 },
          evaluation: { problems: 0 },
        },
      },
      { id: 'labels', label: { answers: 'write', noise: 0.1 } },
      {
        id: 'dpo',
        spec: {
          task: labels,
          method: { id: 'dpo' },
          models: { policy: at('sft') },
          optimizer: { learningRate: 3e-4 },
          sampling,
          budget: { steps: 30, batch: 16 },
          evaluation,
        },
      },
      {
        id: 'reward-model',
        spec: {
          task: labels,
          method: { id: 'bradley-terry', params: { trunk: 'trained' } },
          models: { policy: at('sft') },
          optimizer: { learningRate: 1e-3 },
          budget: { steps: 30, batch: 16 },
        },
      },
      {
        id: 'rlvr',
        spec: {
          task,
          method: { id: 'ppo', params: { klWeight: 0.05 } },
          models: { policy: at('dpo'), critic: at('reward-model') },
          rewards: [{ id: 'verifier', weight: 10 }],
          optimizer: { learningRate: 5e-4 },
          sampling,
          budget: { steps: 40, batch: 32 },
          evaluation,
        },
      },
    ],
  },
};
