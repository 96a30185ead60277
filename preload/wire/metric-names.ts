/**
 * What each metric of a run measures: pages show it on hover. `tests/contracts` wants one for every metric.
 */

export interface MetricName {
  readonly text: string;
  /** Written as a rate in 0–1 rather than as a number of any size. */
  readonly isRate?: boolean;
}

const rate = (text: string): MetricName => ({ text, isRate: true });
const value = (text: string): MetricName => ({ text });

const named: { readonly [name: string]: MetricName } = {
  loss: value('The objective that training minimizes; of policy gradients only its gradient has a meaning'),
  nll: value('Negative log-likelihood of the chosen answers, in nats'),
  grad_norm: value('Norm of the gradient before clipping'),
  learning_rate: value('Learning rate of this step'),
  skipped: value('1 if the update was skipped because loss or gradient was not finite'),
  entropy: value('Mean entropy of the next-token distribution over sampled tokens, in nats'),
  kl: value(
    'KL to the initial policy in nats: per token of the training batch for GRPO, per answer for methods on ' +
      'whole answers. eval/kl sums over whole held-out answers, so it is larger by about their length',
  ),
  frac_reward_zero_std: rate('Share of groups whose answers all have the same reward: no learning signal'),
  'frac_reward_zero_std/expected': rate(
    'Share of groups that would have equal rewards if all prompts were equally hard: p^G + (1 − p)^G for ' +
      'rewards of 0 or 1. A larger share of flat groups says that prompts differ',
  ),
  'completions/distinct': rate('Distinct answers of a group, as a share of its answers'),
  'kl/k1': value('KL of the sampling to the initial policy by k1: mean log-ratio, in nats per sampled token'),
  'kl/k2': value('The same by k2: half the mean squared log-ratio; biased, and never negative'),
  'kl/k3': value('The same by k3: mean of e^(−d) − 1 + d for the log-ratio d; unbiased, and never negative'),
  'sampling/sampling_logp_difference/mean': value(
    'Mean absolute difference of the log-probabilities of policy and sampler, in nats per token',
  ),
  'sampling/sampling_logp_difference/max': value('The greatest such difference of a token'),
  'sampling/effective_sample_size': rate(
    'Effective sample size of the answers’ importance weights, as a share of the answers: 1 if all are equal',
  ),
  'eval/parameters/unchanged': rate(
    'Update sparsity: share of the trained parameters that are as they were when the run began, in float32',
  ),
  'eval/parameters/unchanged_bf16': rate('The same after rounding to bfloat16'),
  tokens_per_second: value('Tokens of the batch, prompts included, per second'),
  'system/memory_mb': value('Resident memory of the engine process at the end of the step, in MB'),
  'system/cores': value(
    'Processor time of the engine process over the time that passed since the step before: cores in use',
  ),
  'seconds/step': value('Time of a step, in seconds'),
  'seconds/rows': value('Time to sample and score the batch of a step, in seconds'),
  'seconds/update': value('Time of the update of a step, in seconds'),
  'reward/mean': value(
    'Mean total reward of the batch: the weighted sum of the scorers, or the composer’s total',
  ),
  'reward/composed': value('Mean total reward of the batch, as the run’s composer makes it of the scorers'),
  'reward/stage': value('Number of scorers that count, of a composer in stages'),
  'reward/hypervolume': value('Volume dominated by the mean scores of the batches so far'),
  'reward/std': value('Standard deviation of the total reward over the batch'),
  'reward/verifier': rate('Mean verifier reward of the batch: the share of right answers'),
  'completions/mean_length': value('Mean length of the sampled answers, in tokens'),
  'completions/truncated': rate('Share of sampled answers cut at the token limit'),
  'clip_ratio/low': rate('Share of tokens whose probability ratio is below the lower clip bound'),
  'clip_ratio/high': rate('Share of tokens whose probability ratio is above the upper clip bound'),
  'rewards/accuracies': rate(
    'Share of the batch’s pairs in which the preferred answer has the higher reward',
  ),
  'rewards/margins': value('Mean reward of the preferred minus that of the other answer'),
  'rewards/chosen': value('Mean reward of the preferred answers'),
  'rewards/rejected': value('Mean reward of the other answers'),
  'rewards/nu': value('Davidson’s tie parameter ν: larger where ties are more likely'),
  'logps/initial': value('Log-likelihood of answers of the initial policy, in nats per answer'),
  'advantage/error': value('Mean squared error of the log-ratios as estimates of the advantage'),
  'policy/entropy': value('Mean entropy of the numbers of an action, each from −1 to 1, in nats'),
  'policy/temperature': value('Weight of entropy in values and policy, which is learned'),
  'value/error': value('Mean squared error of the value estimates'),
  'value/mean': value('Mean value of the actions that were taken in the steps learned from'),
  'attempts/first': value('Mean reward of answers to the plain prompt'),
  'attempts/later': value('Mean reward of answers to prompts that show earlier ones'),
  'attempts/gain': value('Mean reward of these answers less that of the shown answer they are compared with'),
  'attempts/shown': rate('Share of later prompts that show something: others had no room for it'),
  'judge/error': value('Cross-entropy of the token reward model’s verdicts with the outcomes'),
  'value/state': value('Mean value of the states of the steps learned from, by itself'),
  'value/clipped': rate('Share of tokens whose value estimate was clipped'),
  'crossvalidation/loss': value('Loss of the fitted head on folds that it was not fitted to'),
  'crossvalidation/accuracy': rate('Accuracy of the fitted head on folds that it was not fitted to'),
  'crossvalidation/penalty': value('Ridge penalty that cross-validation chose'),
  'sampling/age': value('Updates of the policy since it sampled the answers of this step'),
  'sampling/logp_difference': value(
    'Mean absolute difference of the log-probabilities of the batch’s tokens: of the policy before this ' +
      'update, and of the sampler, in nats per token',
  ),
  'sampling/truncated_mass': rate('Probability of the tokens that top-k, top-p or min-p dropped, per token'),
  'replay/share': rate('Share of the rows of this step that were sampled in earlier batches'),
  'replay/age': value('Mean number of batches since the replayed rows were sampled'),
  'replay/effective_sample_size': rate(
    'Effective sample size of the replayed rows by their importance weights, as a share of their number',
  ),
  'replay/heaviest': rate('Share of the replayed rows’ weight that the heaviest of them has'),
  'replay/age/p10': value('Age in batches that a tenth of the replayed rows are at most'),
  'replay/age/p50': value('Median age of the replayed rows, in batches'),
  'replay/age/p90': value('Age in batches that nine in ten of the replayed rows are at most'),
  'replay/weight/p10': value('Weight that a tenth of the replayed rows have at most, over their mean weight'),
  'replay/weight/p50': value('Median weight of the replayed rows, over their mean weight'),
  'replay/weight/p90': value('Weight that nine in ten replayed rows have at most, over their mean weight'),
  'replay/weight/max': value('Greatest weight of a replayed row, over their mean weight'),
  'low_probability/regularized': rate(
    'Share of tokens that were unlikely, in a bad answer, and kept by the filtered policy',
  ),
  'sampling/importance_sampling_ratio/mean': value(
    'Mean probability ratio of the role to the distribution that was sampled from; 1 where they agree',
  ),
  'sampling/importance_sampling_ratio/truncated': rate(
    'Share of tokens whose importance weight was truncated',
  ),
  'data/too_long': value('Rows left out because they exceed the context'),
  'data/too_long/training': value('Training rows left out because they exceed the context'),
  'data/too_long/heldout': value('Held-out rows left out because they exceed the context'),
  'data/too_long/evaluations': value('Rows of further evaluations left out because they exceed the context'),
  'data/too_long/problems': value('Held-out problems left out because no answer would fit'),
  'return/mean': value('Mean return of the episodes that ended among the steps of a batch, undiscounted'),
  'return/length': value('Mean length of those episodes, in steps'),
  'return/episodes': value('Number of those episodes'),
  'coverage/states': rate('Share of the world’s countable states that the run has visited'),
  'coverage/spread': value(
    'Entropy of all visits to those states over the log of their number; 1 if each is visited as often',
  ),
  'bonus/mean': value('Mean bonus for exploring of a step, before it is scaled'),
  'bonus/error': value('Squared error of the values of bonuses'),
  'predictor/error': value('Squared error of the predicted features of a random network'),
  'eval/return': value('Mean return of whole episodes, with the policy’s actions'),
  'eval/return/deviation': value('Standard deviation of the return of one such episode'),
  'eval/length': value('Mean length of such episodes, in steps'),
  'eval/loss': value('Negative log-likelihood of held-out demonstrations, in nats per token'),
  'eval/pass_at_1': rate('Share of right answers to held-out problems, sampled at the run’s temperature'),
  'eval/greedy': rate('Share of held-out problems solved by the single likeliest answer'),
  'eval/kl': value(
    'KL(policy ‖ initial policy) summed over whole held-out answers, in nats; kl of training is per token',
  ),
  'eval/gold': value(
    'Mean verifier reward on held-out problems; pass@1 where it is 1 for right, 0 for wrong',
  ),
  'eval/proxy': value('Mean of the reward that the run trains on, over answers to held-out problems'),
  'eval/completions/mean_length': value('Mean length of answers to held-out problems, in tokens'),
  'eval/completions/truncated': rate('Share of answers to held-out problems cut at the token limit'),
  'eval/accuracy': rate('Share of held-out pairs that the reward model ranks as labeled'),
  'eval/ece': value('Expected calibration error of σ(margin) on held-out pairs'),
  'eval/length_correlation': value('Correlation of score and answer length over held-out answers'),
  'eval/rewards/accuracies': rate('Share of held-out pairs that the implicit reward ranks as labeled'),
  'eval/rewards/margins': value('Mean difference of the implicit reward on held-out pairs, in units of β'),
};

/** Metrics whose names hold the id of a scorer, a controller or a level. */
const families: readonly (readonly [RegExp, MetricName])[] = [
  [/^reward\/.+\/multiplier$/, value('Lagrange multiplier of the constraint on this scorer')],
  [/^reward\/.+\/failed$/, rate('Share of answers that this scorer could not score')],
  [/^reward\/.+$/, value('Mean of this scorer over the batch, before its weight')],
  [/^eval\/pass_at_1\/level_\d+$/, rate('Share of right answers to held-out problems of this level')],
  [
    /^eval\/chart\/.+\/complete$/,
    rate('Share of episodes that complete the order of this chart of behaviour'),
  ],
  [
    /^eval\/chart\/.+\/progress$/,
    rate('Share of the order of this chart that an episode reaches, on average over episodes'),
  ],
  [/^latent\/kl$/, value('Divergence of the users’ latents from a standard normal distribution, in nats')],
  [
    /^goals\/gap$/,
    value('Cosine of a partial answer’s state to the chosen end less that to the rejected one'),
  ],
  [/^eval\/votes\/accuracy@\d+$/, rate('Right majorities of so many judgements of each held-out answer')],
  [/^eval\/(answers|steps)\/auc$/, rate('Area under the ROC curve of the score, for right against wrong')],
  [/^eval\/(answers|steps)\/accuracy$/, rate('Share judged correctly at a probability of ½')],
  [/^eval\/(answers|steps)\/ece$/, value('Expected calibration error of the probability of being right')],
  [/^kl\/.+$/, value('Divergence from this model or snapshot on the batch’s tokens, in nats per token')],
  [/^eval\/[^/]+\/(pass_at_1|greedy)$/, rate('Share of right answers to problems of this further task')],
  [
    /^eval\/[^/]+\/pass_at_1\/level_\d+$/,
    rate('Share of right answers to problems of this level of this further task'),
  ],
  [
    /^eval\/[^/]+\/first_error_f1$/,
    rate(
      'Harmonic mean of two accuracies of a verifier: the place of the first wrong line of wrong answers, ' +
        'and finding none in right ones',
    ),
  ],
  [/^eval\/[^/]+\/first_error_in_wrong$/, rate('Share of wrong answers whose first wrong line is found')],
  [/^eval\/[^/]+\/first_error_in_right$/, rate('Share of right answers in which no wrong line is seen')],
  [
    /^eval\/[^/]+\/verdict_accuracy$/,
    rate('Accuracy of the verdict on whole answers, balanced over right and wrong ones'),
  ],
  [/^eval\/[^/]+\/gold$/, value('Mean verifier reward on problems of this further task')],
  [/^eval\/[^/]+\/loss$/, value('Negative log-likelihood of the answers of this dataset, in nats per token')],
  [/^eval\/[^/]+\/perplexity$/, value('Perplexity per token of the answers of this dataset: e to the loss')],
  [
    /^eval\/[^/]+\/likelihood_accuracy$/,
    rate('Share of the pairs of this dataset whose right answer is the likelier one, whole answers compared'),
  ],
  [
    /^eval\/[^/]+\/accuracy$/,
    rate('Share of the pairs of this dataset that the reward ranks right; of a policy, its implicit reward'),
  ],
  [
    /^eval\/[^/]+\/margin$/,
    value('Mean reward of the right less the wrong answer of pairs; of a policy, implicit, in units of β'),
  ],
  [
    /^eval\/[^/]+\/trained_on$/,
    rate('Share of the measured rows whose prompt is trained on as well: they are not held out'),
  ],
  [/^eval\/[^/]+\/mean_length$/, value('Mean length of answers to this further task, in tokens')],
  [/^eval\/[^/]+\/truncated$/, rate('Share of answers to this further task cut at the token limit')],
  [/^control\/.+$/, value('State of this controller, which adjusts settings during the run')],
];

/** The role whose metrics are compared with those of runs of one role. */
export const MAIN_ROLE = 'policy';

/** Names under which metrics of several runs are compared: those of the main role without it. */
export const comparedNames = (names: readonly string[]): string[] =>
  [...new Set(names.map(comparedName))].sort();
export const comparedName = (name: string): string =>
  name.startsWith(`${MAIN_ROLE}/`) ? name.slice(MAIN_ROLE.length + 1) : name;

/**
 * What a metric measures; undefined for an unknown one. A name that several roles of a run share begins with
 * the role.
 */
export function metricName(name: string): MetricName | undefined {
  if (Object.hasOwn(named, name)) return named[name];
  const family = families.find(([pattern]) => pattern.test(name));
  if (family) return family[1];
  const slash = name.indexOf('/');
  return slash < 0 ? undefined : metricName(name.slice(slash + 1));
}
