import type { Effect, Side } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

/** Answers that a rule sees. */
const SEEN = 8;
const rule: { readonly [S in Side]: string } = { method: 'rpc', baseline: 'majority' };

const task = {
  kind: 'world',
  id: 'sorting',
  params: { method: 'none', levels: 3, heldoutLevels: 0, wrong: 0, rambling: 0 },
} as const;
const sampling = { maxTokens: 16 };

/**
 * The starting policy is trained until the majority of eight answers is right in about half of the cases. Both
 * sides sample the same answers, so that only the rule differs.
 */
export const rpcVotes: Effect = {
  id: 'rpc-votes',
  cluster: 5,
  system: 'rpc',
  title:
    'Votes by the probability of distinct answers, the improbable ones dropped, are right more often than the ' +
    'majority of as many answers (sorting three to five digits, without training)',
  cites: 'arXiv:2502.00511',
  method: `rpc over ${SEEN} answers`,
  baseline: `majority vote over ${SEEN} answers`,
  measure: `accuracy on 200 held-out problems, mean over subsets of ${SEEN} of 16 answers`,
  better: 'higher',
  plan: (seed) => {
    const search = {
      method: { id: 'search', params: { groupSize: 16 } },
      task,
      models: from('base'),
      budget: { steps: 2, batch: 100 },
      sampling,
      seed: seed + 100,
    };
    return {
      nodes: [
        {
          id: 'base',
          spec: { ...imitation(110), models: smallPolicy(40), task, sampling, evaluation: unmeasured, seed },
        },
        { id: 'method', spec: search },
        { id: 'baseline', spec: search },
      ],
    };
  },
  number: async (runs) => {
    const { strategies } = await runs.result('search');
    const line = strategies.find(({ id }) => id === rule[runs.side]);
    const point = line?.points.find(({ n }) => n === SEEN);
    if (!point) throw new Error(`the search has no point of ${rule[runs.side]} at ${SEEN} answers`);
    return point.accuracy;
  },
};
