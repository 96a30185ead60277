import type { Claim } from './claim.ts';
import { pairedRuns, evaluations, imitation, sorting } from './world.ts';

const K = 16;
const { models, task, sampling } = sorting;

const passAtK = (scaleBy: 'sample' | 'none'): Claim['of'] =>
  pairedRuns(
    ({ run }, seed) => run({ ...imitation(150), models, task, sampling, seed }, { as: 'base' }),
    async (run, side, seed) => {
      const seen = await run(
        {
          method: { id: 'grpo', params: { klWeight: 0, scaleBy } },
          task,
          rewards: [{ id: 'verifier' }, ...(side === 'method' ? [{ id: 'rep-exp', weight: 0.1 }] : [])],
          optimizer: { learningRate: 1e-3, schedule: 'constant' },
          budget: { steps: 200, batch: 16 },
          sampling,
          evaluation: { problems: 120, samples: 2 * K },
          seed,
        },
        { from: 'base' },
      );
      const found = evaluations(seen)
        .at(-1)
        ?.passAtK.find(({ k }) => k === K);
      if (!found) throw new Error(`the run reported no pass@${K}`);
      return found.value;
    },
  );

const shared = {
  cites: 'arXiv:2510.11686',
  measure: `pass@${K} on 120 held-out problems after 200 steps of 16 × 8 answers`,
  better: 'higher',
} as const;

/**
 * A bonus for answers whose representation is new within their group, against the verifier's reward alone.
 * The initial policy solves some problems of all lengths now and then; a binary verdict then sharpens its
 * existing skills, and teaches it little beyond them.
 */
export const repExpCoverage: Claim = {
  id: 'rep-exp-coverage',
  title:
    'A bonus for new representations keeps more problems solvable by some of 16 answers (sorting three to ' +
    'seven digits, after short imitation)',
  method: 'grpo, verifier + 0.1 · rep-exp',
  baseline: 'grpo, verifier',
  ...shared,
  of: passAtK('sample'),
};

/**
 * Division by the group's deviation makes a bonus of any weight the whole credit of a group with equal
 * verdicts. Here nothing is divided.
 */
export const repExpUndivided: Claim = {
  id: 'rep-exp-undivided',
  title: 'The same, where advantages are not divided by the deviation of their group',
  method: 'grpo, scaleBy none, verifier + 0.1 · rep-exp',
  baseline: 'grpo, scaleBy none, verifier',
  ...shared,
  of: passAtK('none'),
};
