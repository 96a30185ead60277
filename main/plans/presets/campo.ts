import type { PlanPreset } from './preset.ts';
import { smallPolicy } from './shared.ts';

const task = {
  kind: 'world',
  id: 'sorting',
  params: { method: 'insertion', levels: 2, heldoutLevels: 0 },
} as const;
const evaluation = { problems: 100, samples: 4 };
const from = (node: string) => ({ models: { policy: { kind: 'checkpoint', checkpointId: { node } } } });
/** A stage continues the one before with a longer limit. */
const stage = (id: string, before: string, maxTokens: number) => ({
  id,
  use: 'stage',
  spec: { ...from(before), sampling: { maxTokens } },
});

/** Li et al. 2025, arXiv:2507.14683, section 4: MiroMind-M1. */
export const campo: PlanPreset = {
  id: 'campo',
  title: 'Stages of growing length (CAMPO)',
  summary:
    'Policy optimization without a divergence in three stages, each with a longer limit on answers, where answers that ' +
    'fall into a loop lose reward by the place of the loop. “whole” has the last limit from the start.',
  plan: {
    name: 'Stages of growing length',
    summary: 'arXiv:2507.14683 against one stage at the last limit, with as many updates.',
    specs: {
      stage: {
        task,
        method: { id: 'dapo-bytedance', params: { groupSize: 8 } },
        rewards: [{ id: 'verifier' }, { id: 'repetition', weight: 0.5 }],
        optimizer: { learningRate: 1e-3 },
        budget: { steps: 20, batch: 16 },
        evaluation,
      },
    },
    nodes: [
      {
        id: 'base',
        spec: {
          task,
          method: { id: 'sft' },
          ...smallPolicy(96),
          optimizer: { learningRate: 5e-3 },
          sampling: { maxTokens: 64 },
          budget: { steps: 300, batch: 32 },
          evaluation,
        },
      },
      stage('short', 'base', 48),
      stage('longer', 'short', 56),
      stage('long', 'longer', 64),
      {
        id: 'whole',
        use: 'stage',
        spec: { ...from('base'), sampling: { maxTokens: 64 } },
        set: { 'budget.steps': 60 },
      },
    ],
  },
};
