import type { Effect } from './effect.ts';
import { from, imitation, sorting, unmeasured } from './shared.ts';

const K = 16;
const { models, task, sampling } = sorting;

const planWith =
  (scaleBy: 'sample' | 'none'): Effect['plan'] =>
  (seed) => {
    const sharpened = (rewards: readonly object[]) => ({
      method: { id: 'grpo', params: { klWeight: 0, scaleBy } },
      task,
      models: from('base'),
      rewards,
      optimizer: { learningRate: 1e-3, schedule: 'constant' },
      budget: { steps: 200, batch: 16 },
      sampling,
      evaluation: { problems: 120, samples: 2 * K },
      seed: seed + 100,
    });
    const verifier = { id: 'verifier' };
    return {
      nodes: [
        { id: 'base', spec: { ...imitation(150), models, task, sampling, evaluation: unmeasured, seed } },
        { id: 'method', spec: sharpened([verifier, { id: 'rep-exp', weight: 0.1 }]) },
        { id: 'baseline', spec: sharpened([verifier]) },
      ],
    };
  };

const number: Effect['number'] = async (runs) => {
  const found = (await runs.evaluation()).passAtK.find(({ k }) => k === K);
  if (!found) throw new Error(`the run reported no pass@${K}`);
  return found.value;
};

const shared = {
  cluster: null,
  system: null,
  cites: 'arXiv:2510.11686',
  measure: `pass@${K} on 120 held-out problems after 200 steps of 16 × 8 answers`,
  better: 'higher',
  number,
} as const;

/**
 * A bonus for answers whose representation is new within their group, against the verifier's reward alone.
 * The initial policy solves some problems of all lengths now and then; a binary verdict then sharpens its
 * existing skills, and teaches it little beyond them.
 */
export const repExpCoverage: Effect = {
  id: 'rep-exp-coverage',
  title:
    'A bonus for new representations keeps more problems solvable by some of 16 answers (sorting three to ' +
    'seven digits, after short imitation)',
  method: 'grpo, verifier + 0.1 · rep-exp',
  baseline: 'grpo, verifier',
  plan: planWith('sample'),
  ...shared,
};

/**
 * Division by the group's deviation makes a bonus of any weight the whole credit of a group with equal
 * verdicts. Here nothing is divided.
 */
export const repExpUndivided: Effect = {
  id: 'rep-exp-undivided',
  title: 'The same, where advantages are not divided by the deviation of their group',
  method: 'grpo, scaleBy none, verifier + 0.1 · rep-exp',
  baseline: 'grpo, scaleBy none, verifier',
  plan: planWith('none'),
  ...shared,
};
