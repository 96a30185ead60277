import { found } from '../../support/toy-run.ts';
import type { Claim } from './claim.ts';
import { pairedRuns, imitation } from './world.ts';

const task = { kind: 'world', id: 'toy/pairs', params: { letters: 4, length: 5 } } as const;
const sampling = { maxTokens: 8 };

/**
 * Pairs are random strings of five letters: of 1,024 answers, a run sees a few hundred, and the best ones
 * hardly ever.
 */
export const hypoCoverage: Claim = {
  id: 'hypo-coverage',
  title:
    'A divergence measured on fresh answers keeps the policy from answers that no pair covers (pairs of ' +
    'random strings, more letters "a" preferred)',
  cites: 'arXiv:2406.01462',
  method: 'hypo, lambda 0.1',
  baseline: 'dpo',
  measure:
    'mean share of letters "a" in the answers on held-out prompts; 0 for an answer that is no string of five letters',
  better: 'higher',
  of: pairedRuns(
    ({ run }, seed) => run({ ...imitation(60, 'constant'), task, sampling, seed }, { as: 'base' }),
    async (run, side, seed) => {
      const seen = await run(
        {
          method: side === 'method' ? { id: 'hypo', params: { lambda: 0.1 } } : { id: 'dpo' },
          task,
          optimizer: { learningRate: 3e-3 },
          budget: { steps: 60, batch: 8 },
          sampling,
          evaluation: { problems: 48, samples: 4, world: { id: 'toy/pairs', params: task.params } },
          seed,
        },
        { from: 'base' },
      );
      return found(seen, 'evaluation/gold');
    },
  ),
};
