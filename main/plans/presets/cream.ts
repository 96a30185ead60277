import type { PlanPreset } from './preset.ts';

const task = { kind: 'world', id: 'toy/pairs' } as const;
const evaluation = { problems: 100, samples: 4, world: { id: task.id } };
const sampling = { maxTokens: 4 };

const at = (checkpointId: object) => ({ models: { policy: { kind: 'checkpoint', checkpointId } } });
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
    specs: {
      small: { task, sampling, budget: { steps: 12, batch: 16 }, evaluation },
    },
    nodes: [
      {
        id: 'base',
        use: 'small',
        spec: {
          method: { id: 'sft' },
          models: {
            policy: {
              kind: 'new',
              architecture: { width: 32, layers: 1, heads: 2, context: 16 },
              tokenizer: { kind: 'characters' },
            },
          },
          budget: { steps: 80 },
        },
      },
      { id: 'early', use: 'small', spec: { ...dpo, ...at({ node: 'base' }) } },
      { id: 'seed', use: 'small', spec: { ...dpo, ...at({ node: 'early' }), seed: 1 } },
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
                  ...at(current),
                  rewards: [implicit(current, 1), implicit(previous, 0), { id: 'verifier', weight: 0 }],
                  budget: { steps: 4 },
                  evaluation: { problems: 0 },
                },
              },
              {
                id: 'tune',
                use: 'small',
                spec: { ...dpo, ...at(current), task: { kind: 'run', answers: 'write', heldout: 0.1 } },
              },
            ],
          },
        ],
      },
    ],
  },
};
