import type { PlanPreset } from './preset.ts';
import { onPairs, pairsBase, policyOf } from './shared.ts';

/** The policy of the round before. */
const current = { node: 'tune', round: 'previous', first: 'base' };
const members = [1, 2, 3];
const columns = members.map((k) => (k === 1 ? 'score reward-model' : `score reward-model#${k}`));

/** Wang et al. 2024, arXiv:2409.11212. */
export const uncertainty: PlanPreset = {
  id: 'upo',
  title: 'Uncertainty-enhanced preferences (UPO)',
  summary:
    'Rounds of DPO on self-made pairs that an ensemble of estimators with dropout ranks: certain pairs first, then all ' +
    'of them weighted by certainty. “plain” learns on all pairs alike.',
  plan: {
    name: 'Uncertainty-enhanced preferences',
    summary: 'arXiv:2409.11212: pairs weighted by 1 − BALD of an ensemble, the easy ones first.',
    specs: {
      small: onPairs,
      dpo: {
        method: { id: 'dpo', params: { beta: 0.1, sftWeight: 0.1 } },
        ...onPairs,
        ...policyOf(current),
        optimizer: { learningRate: 3e-4 },
      },
    },
    nodes: [
      pairsBase,
      ...members.map((seed) => ({
        id: `estimator-${seed}`,
        use: 'small',
        spec: {
          method: { id: 'bradley-terry', params: { trunk: 'trained' } },
          ...policyOf('base'),
          optimizer: { learningRate: 3e-3, dropout: 0.1 },
          budget: { steps: 10 },
          evaluation: { problems: 0 },
          seed,
        },
      })),
      {
        id: 'labels',
        matrix: [
          {
            set: 'tune.task.operators',
            names: ['certain', 'plain'],
            values: [
              [{ id: 'uncertain-pair', params: { columns } }],
              [{ id: 'pair', params: { column: 'reward' } }],
            ],
          },
        ],
        body: [
          {
            id: 'self',
            rounds: 2,
            body: [
              {
                id: 'write',
                use: 'small',
                spec: {
                  method: { id: 'sample', params: { groupSize: 6 } },
                  ...policyOf(current),
                  rewards: [
                    ...members.map((k) => ({
                      id: 'reward-model',
                      params: { checkpointId: { node: `estimator-${k}` } },
                    })),
                    { id: 'verifier', weight: 0 },
                  ],
                  budget: { steps: 4 },
                  evaluation: { problems: 0 },
                },
              },
              {
                id: 'easy',
                use: 'dpo',
                spec: {
                  task: {
                    kind: 'run',
                    answers: 'write',
                    operators: [{ id: 'uncertain-pair', params: { columns, most: 0.1 } }],
                    heldout: 0.1,
                  },
                  evaluation: { problems: 0 },
                },
              },
              {
                id: 'tune',
                use: 'dpo',
                spec: { ...policyOf('easy'), task: { kind: 'run', answers: 'write', heldout: 0.1 } },
              },
            ],
          },
        ],
      },
    ],
  },
};
