import { mean } from '../../../evaluate/index.ts';
import { overSubsets, type RuleView, type SearchRule } from '../rule.ts';
import { choose } from '../subsets.ts';
import type { TriedProblem } from '../tried.ts';
import { voteChance } from '../votes.ts';
import { highChance, weibullMixture } from '../weibull.ts';

/**
 * Places of the paths that pruning keeps: those that more likely come from the high one of two Weibull
 * components; without a mixture, those from the mean up. Probabilities may be scaled by any factor.
 */
export const keptPaths = (probabilities: readonly number[]): number[] => {
  const mixture = weibullMixture(probabilities);
  const least = mean(probabilities);
  const kept = [...probabilities.keys()].filter((at) =>
    mixture ? highChance(mixture, probabilities[at]) >= 0.5 : probabilities[at] >= least * (1 - 1e-12),
  );
  return kept.length > 0 ? kept : [...probabilities.keys()];
};

/** The chance to be right of distinct paths that vote with their probability, after pruning. */
const prunedVote = (
  problem: TriedProblem,
  places: readonly number[],
  logOf: (place: number) => number,
): number => {
  const paths = places.filter(
    (place, at) =>
      places.findIndex((earlier) => problem.texts[earlier] === problem.texts[place]) === at &&
      problem.answers[place] !== null,
  );
  // no answer can be read: all texts share the chance
  if (paths.length === 0) return voteChance(problem, places, []);
  const logs = paths.map(logOf);
  const most = Math.max(...logs);
  // a probability that rounds to 0 has no logarithm for the mixture
  const probabilities = logs.map((log) => Math.exp(Math.max(log - most, -700)));
  const kept = keptPaths(probabilities);
  return voteChance(
    problem,
    kept.map((at) => paths[at]),
    kept.map((at) => probabilities[at]),
  );
};

/** The first 16 of the subsets where those are a part of all: a mixture is fitted to each. */
const someOf = ({ subsets, n, problem }: RuleView): Pick<RuleView, 'subsets'> => ({
  subsets: choose(problem.correct.length, n) > subsets.length ? subsets.slice(0, 16) : subsets,
});

/**
 * Reasoning-pruning perplexity consistency: an answer's confidence is the probability of the distinct paths to
 * it, after improbable paths are dropped. Here a path's probability is that of its whole text.
 */
export const rpc: SearchRule = {
  id: 'rpc',
  title: 'RPC',
  summary:
    'Distinct texts vote with their own probability, after those of the low one of two Weibull components are ' +
    'dropped (perplexity consistency with reasoning pruning).',
  cites: 'arXiv:2502.00511',
  by: 'nothing',
  accuracy: (view) =>
    overSubsets(someOf(view), (places) => prunedVote(view.problem, places, (at) => view.problem.logp[at])),
};

/** The same with the mean probability of a token, e^(log p ∕ tokens), which long texts need. */
export const rpcPerToken: SearchRule = {
  ...rpc,
  id: 'rpc-per-token',
  title: 'RPC, per token',
  summary: `${rpc.summary.slice(0, -1)}, with probabilities normalized by length).`,
  accuracy: (view) => {
    const { logp, tokens } = view.problem;
    return overSubsets(someOf(view), (places) =>
      prunedVote(view.problem, places, (at) => logp[at] / Math.max(1, tokens[at])),
    );
  },
};
