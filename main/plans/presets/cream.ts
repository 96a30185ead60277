import type { PlanPreset } from './preset.ts';
import { onPairs, pairsBase, policyOf } from './shared.ts';

/** The policy of the round before. */
const current = { node: 'tune', round: 'previous', first: 'seed' };
const previous = { node: 'tune', round: 2, first: ['early', 'seed'] };
const implicit = (checkpointId: object, weight: number) => ({
  id: 'implicit-reward',
  weight,
  params: { checkpointId, reference: { checkpointId: { node: 'base' } } },
});
const dpo = { method: { id: 'dpo', params: { beta: 0.1 } }, optimizer: { learningRate: 3e-4 } };

/** Wang et al. 2024, arXiv:2410.12735, next to self-rewarding without consistency (arXiv:2401.10020). */
export const cream: PlanPreset = {
  id: 'cream',
  title: 'Iterated DPO with consistency (CREAM)',
  summary:
    'Rounds of DPO on pairs that the policy ranks by its own implicit reward. “cream” weighs both orders of each pair by how far its ' +
    'ranking agrees with that of the round before; “plain” does not. The verifier only watches.',
  plan: {
    name: 'Iterated DPO with consistency',
    summary: 'arXiv:2410.12735 against plain self-rewarding DPO, from the same seed preferences.',
    specs: { small: onPairs },
    nodes: [
      pairsBase,
      { id: 'early', use: 'small', spec: { ...dpo, ...policyOf('base') } },
      { id: 'seed', use: 'small', spec: { ...dpo, ...policyOf('early'), seed: 1 } },
      {
        id: 'labels',
        matrix: [
          {
            set: 'tune.task.operators',
            names: ['cream', 'plain'],
            values: [
              [
                {
                  id: 'consistent-pair',
                  params: { current: 'score implicit-reward', previous: 'score implicit-reward#2' },
                },
              ],
              [{ id: 'pair', params: { column: 'score implicit-reward' } }],
            ],
          },
        ],
        body: [
          {
            id: 'self',
            rounds: 3,
            body: [
              {
                id: 'write',
                use: 'small',
                spec: {
                  method: { id: 'sample', params: { groupSize: 6 } },
                  ...policyOf(current),
                  rewards: [implicit(current, 1), implicit(previous, 0), { id: 'verifier', weight: 0 }],
                  budget: { steps: 4 },
                  evaluation: { problems: 0 },
                },
              },
              {
                id: 'tune',
                use: 'small',
                spec: { ...dpo, ...policyOf(current), task: { kind: 'run', answers: 'write', heldout: 0.1 } },
              },
            ],
          },
        ],
      },
    ],
  },
};
