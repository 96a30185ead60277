import { inCluster, expressible, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';
import { balanced } from '../kernel/snippets.ts';

/** Preferences and stored answers. */
export const preferences = inCluster(null, [
  {
    id: 'a-lol',
    name: 'A-LoL',
    paper: 'Improving Language Models with Advantage-based Offline Policy Gradients',
    class: 'core',
    about: 'Learns from stored answers that beat the value of their prompt, weighted by that advantage.',
    state: works({ method: 'a-lol' }, 'tests/support/oracles/verifiers.json', 'weighedAnswers'),
  },
  {
    id: 'copg',
    name: 'CoPG',
    paper:
      'Contrastive Policy Gradient: Aligning LLMs on sequence-level scores in a supervised-friendly fashion',
    class: 'core',
    about: 'Regresses the reward difference of any two answers to one prompt on their log-ratio difference.',
    state: works({ method: 'copg' }, 'tests/engine/rl/oracles-policy.test.ts', 'CoPG on pairs'),
  },
  {
    id: 'reward-robust-rlhf',
    name: 'Reward-robust RLHF (BRME)',
    paper: 'Reward-Robust RLHF in LLMs',
    class: 'core',
    about: 'Rewards a mix of the surest head and the worst head of an ensemble.',
    state: expressible(
      runOn('toy/pairs', 'ensemble-reward', {}),
      'Then ppo with its judge twice: combined by the mean, and by the minimum. Heads learn no deviation.',
    ),
  },
  {
    id: 'tpo',
    name: 'TPO (triple preference)',
    paper:
      'Triple Preference Optimization: Achieving Better Alignment with Less Data in a Single Step Optimization',
    class: 'core',
    about:
      'Gold, chosen and rejected in one loss: a preference margin plus the likelihood of the gold answer.',
    state: works({ method: 'tpo' }, 'tests/support/oracles/preferences.json', 'triples/sigmoid'),
  },
  {
    id: 'openchat',
    name: 'OpenChat / C-RLFT',
    paper: 'OpenChat: Advancing Open-source Language Models with Mixed-Quality Data',
    class: 'core',
    about: 'Imitates answers under a mark of their source, with less weight for the poorer source.',
    state: works({ method: 'c-rlft' }, 'tests/engine/rl/supervised.test.ts', 'marks poor answers'),
  },
  {
    id: 'rso',
    name: 'RSO',
    paper: 'Statistical Rejection Sampling Improves Preference Optimization',
    class: 'core',
    about:
      'Draws preference pairs from the optimal policy by rejecting samples in proportion to their reward.',
    state: works({ method: 'rso' }, 'tests/engine/rl/pairs.test.ts', 'rejection sampling accepts answers'),
  },
  {
    id: 'xpo',
    name: 'XPO',
    paper:
      'Exploratory Preference Optimization: Harnessing Implicit Q*-Approximation for Sample-Efficient RLHF',
    class: 'core',
    about: 'Online DPO with optimism: lowers the likelihood of reference answers to leave known ground.',
    state: works({ method: 'xpo' }, 'tests/engine/rl/oracles-preferences.test.ts'),
  },
  {
    id: 'hypo',
    name: 'HyPO',
    paper: 'The Importance of Online Data: Understanding Preference Fine-tuning via Coverage',
    class: 'core',
    about: 'DPO on stored pairs, with the divergence from the reference measured on fresh answers.',
    state: works(
      { method: 'hypo' },
      'tests/engine/rl/pairs.test.ts',
      'two fresh answers after each stored pair',
    ),
  },
  {
    id: 't-reg',
    name: 'T-REG',
    paper: 'T-REG: Preference Optimization with Token-Level Reward Regularization',
    class: 'core',
    about: 'Adds to DPO token rewards that the model computes itself under a good and a bad instruction.',
    state: works({ method: 't-reg' }, 'tests/engine/rl/pairs.test.ts', 'contrasting prompts reward tokens'),
  },
  {
    id: 'spo',
    name: 'SPO (self-play preference)',
    paper: 'A Minimaximalist Approach to Reinforcement Learning from Human Feedback',
    class: 'core',
    about: 'Rewards each answer by its share of wins against the others of its group.',
    state: works(
      { reward: 'preference', method: 'spo' },
      'tests/engine/rewards/self-rewards.test.ts',
      'self-play on an intransitive preference',
      runOn('arithmetic', 'rloo', { groupSize: 8 }, { rewards: [{ id: 'preference' }] }),
    ),
  },
  {
    id: 'par',
    name: 'PAR (Preference As Reward)',
    paper: 'Reward Shaping to Mitigate Reward Hacking in RLHF',
    class: 'core',
    about: 'Uses the probability of beating a reference answer as reward: bounded and centred.',
    state: works(
      { reward: 'par' },
      'tests/engine/rewards/comparing.test.ts',
      undefined,
      runOn('arithmetic', 'grpo', {}, { rewards: [{ id: 'par', params: { reward: { id: 'verifier' } } }] }),
    ),
  },
  {
    id: 'rlsqm',
    name: 'RLSQM',
    paper: 'Reinforcement Learning from Automatic Feedback for High-Quality Unit Test Generation',
    class: 'core',
    about: 'Rewards generated tests by static analysers, with one reward model for each metric.',
    state: expressible(
      runOn(
        'program',
        'ppo',
        {},
        {
          rewards: [
            { id: 'snippet', params: { code: balanced } },
            { id: 'length', weight: 0.1 },
          ],
        },
      ),
      'The analysers are your own code, as rewards; with multi-head-reward they are learned first.',
    ),
  },
  {
    id: 'cpl',
    name: 'CPL',
    paper: 'Contrastive Prefence Learning: Learning from Human Feedback without RL',
    class: 'core',
    about: 'Scores segments by discounted log-probabilities, and learns from preferences without a reward.',
    state: works({ method: 'cpl' }, 'tests/engine/rl/oracles-preferences.test.ts', 'segments'),
  },
]);
