import type { PlanPreset } from './preset.ts';
import { onPairs, pairsBase, policyOf } from './shared.ts';

/** The policy of the round before. */
const current = { node: 'tune', round: 'previous', first: 'seed' };
const past = { node: 'seed' };
const dpo = { method: { id: 'dpo', params: { beta: 0.1 } }, optimizer: { learningRate: 3e-4 } };
const score = 'score implicit-reward';

/** Answers of a model to the prompts of the round, scored by the policy itself; the verifier only watches. */
const writes = (id: string, checkpointId: object, groupSize: number) => ({
  id,
  use: 'small',
  spec: {
    method: { id: 'sample', params: { groupSize } },
    ...policyOf(checkpointId),
    rewards: [
      {
        id: 'implicit-reward',
        params: { checkpointId: current, reference: { checkpointId: { node: 'base' } } },
      },
      { id: 'verifier', weight: 0 },
    ],
    budget: { steps: 4 },
    evaluation: { problems: 0 },
  },
});
const learns = (id: string, answers: readonly string[], operator: object) => ({
  id,
  use: 'small',
  spec: { ...dpo, ...policyOf(current), task: { kind: 'run', answers, operators: [operator], heldout: 0.1 } },
});
const against = (...chosen: string[]) => ({
  id: 'pair-by-run',
  params: { chosen, rejected: ['past'], column: score },
});

/** Wang et al. 2025, arXiv:2508.06026, next to self-rewarding (arXiv:2401.10020). */
export const temporal: PlanPreset = {
  id: 'temporal-self-rewarding',
  title: 'Temporal self-rewarding',
  summary:
    'Rounds of DPO in which rejected answers come from the past model, and chosen ones from the current or a provisional ' +
    'future model. “plain” pairs the best and the worst answer of the current one.',
  plan: {
    name: 'Temporal self-rewarding',
    summary:
      'arXiv:2508.06026: anchored rejection, then chosen answers of a provisional future model; against plain rounds.',
    specs: { small: onPairs },
    nodes: [
      pairsBase,
      { id: 'seed', use: 'small', spec: { ...dpo, ...policyOf('base'), budget: { steps: 24 } } },
      {
        id: 'temporal',
        rounds: 3,
        body: [
          writes('write', current, 4),
          writes('past', past, 4),
          learns('provisional', ['write', 'past'], against('write')),
          writes('ahead', { node: 'provisional' }, 4),
          learns('tune', ['write', 'ahead', 'past'], against('write', 'ahead')),
        ],
      },
      {
        id: 'plain',
        rounds: 3,
        body: [
          writes('write', current, 12),
          learns('tune', ['write'], { id: 'pair', params: { column: score } }),
        ],
      },
    ],
  },
};
