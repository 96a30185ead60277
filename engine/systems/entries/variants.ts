import { inCluster, works, expressible, none } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Variants of credit, selection and loss. */
export const variants = inCluster(11, [
  {
    id: 'b-coder',
    name: 'B-Coder',
    paper: 'B-Coder: Value-Based Deep Reinforcement Learning for Program Synthesis',
    class: 'core',
    about: 'Treats logits as advantages around a value head, and backs up a cautious operator over programs.',
    state: none('Logits read as advantages around a value head, backed up by the choice of a stored policy.'),
  },
  {
    id: 'targeted-lat',
    name: 'Targeted LAT',
    paper: 'Latent Adversarial Training Improves Robustness to Persistent Harmful Behaviors in LLMs',
    class: 'core',
    about: 'An inner attack on hidden states looks for bad endings, while the outer step trains against it.',
    state: none('An inner attack that perturbs hidden states before each update.'),
  },
  {
    id: 'scalable-irl-imitation',
    name: 'Scalable IRL imitation (inverse soft-Q for LM)',
    paper: 'Imitating Language via Scalable Inverse Reinforcement Learning',
    class: 'core',
    about: 'Reads logits as soft values, and adds a temporal-difference penalty to imitation.',
    state: works({ method: 'inverse-soft-q' }, 'tests/support/oracle-cases.ts', 'inverseSoftQ'),
  },
  {
    id: 'prdp',
    name: 'PRDP',
    paper:
      'PRDP: Proximal Reward Difference Prediction for Large-Scale Reward Finetuning of Diffusion Models',
    class: 'adaptable',
    about: 'Regresses reward differences on differences of log-ratios, clipped near the last policy.',
    state: works({ method: 'prdp' }, 'tests/engine/rl/variants.test.ts', 'PRDP'),
  },
  {
    id: 'amft',
    name: 'AMFT',
    paper: 'AMFT: Aligning LLM Reasoners by Meta-Learning the Optimal Imitation-Exploration Balance',
    class: 'core',
    about: 'Learns the mixing weight of imitation and reward by the gradient of a validation reward.',
    state: none(
      'A mixing weight that follows the gradient of a validation reward: schedules are fixed in advance.',
    ),
  },
  {
    id: 'alignprop',
    name: 'AlignProp',
    paper: 'Aligning Text-to-Image Diffusion Models with Reward Backpropagation',
    class: 'adaptable',
    about: 'Sends the gradient of a differentiable reward back through the sampling chain.',
    state: none('A gradient of the reward through the sampled answer: here it ends at the tokens.'),
  },
  {
    id: 'aepo',
    name: 'AEPO (arbitrary entropy)',
    paper: 'Arbitrary Entropy Policy Optimization: Entropy Is Controllable in Reinforcement Fine-tuning',
    class: 'core',
    about: 'Steers entropy to a set-point by imitating right answers sampled hot or cold.',
    state: expressible(
      runOn('arithmetic', 'grpo', {}, { controllers: [{ id: 'aepo' }] }),
      'Holds the entropy by a weighted entropy term instead of imitating hot and cold answers.',
    ),
  },
  {
    id: 'verl',
    name: 'VERL',
    paper: 'Beyond the Exploration-Exploitation Trade-off: A Hidden State Approach for LLM Reasoning in RLVR',
    class: 'core',
    about: 'Shapes advantages by rank, velocity and acceleration of the hidden states of an answer.',
    state: none(
      'The effective rank of an answer’s hidden states and its changes, as a factor of advantages.',
    ),
  },
  {
    id: 'thr',
    name: 'THR',
    paper:
      'Token Hidden Reward: Steering Exploration-Exploitation in Group Relative Deep Reinforcement Learning',
    class: 'core',
    about: 'Scales the advantage of each token by its influence on the right answers of the group.',
    state: none('The influence of tokens on right answers through hidden states, as a factor of advantages.'),
  },
  {
    id: 'lite-ppo-study',
    name: 'Lite PPO study',
    paper: 'Part I: Tricks or Traps? A Deep Dive into RL for LLM Reasoning',
    class: 'core',
    about: 'Ablates normalisation, clipping, averaging and filtering, and keeps two of them.',
    state: works({ method: 'lite-ppo' }, 'tests/engine/rl/variants.test.ts', 'Lite PPO'),
  },
  {
    id: 'oreal',
    name: 'OREAL',
    paper: 'Exploring the Limit of Outcome Reward for Learning Mathematical Reasoning',
    class: 'core',
    about: 'Imitates right answers, weights wrong ones to balance, and learns rewards per token.',
    state: none('A reward for each token, learned so that their mean predicts the outcome.'),
  },
  {
    id: 'oorl',
    name: 'OORL / GEPO',
    paper:
      'On-Policy Optimization with Group Equivalent Preference for Multi-Programming Language Understanding',
    class: 'core',
    about: 'Alternates tests as reward with preferences between groups of equivalent programs.',
    state: works({ method: 'oorl' }, 'tests/support/oracle-cases.ts', 'groupPreference'),
  },
  {
    id: 'lp-reg',
    name: 'Lp-Reg',
    paper: 'Low-probability Tokens Sustain Exploration in Reinforcement Learning with Verifiable Reward',
    class: 'core',
    about: 'Protects rare but plausible tokens that had a negative advantage.',
    state: works({ method: 'lp-reg' }, 'tests/engine/rl/variants.test.ts', 'Lp-Reg'),
  },
  {
    id: 'pf-ppo',
    name: 'PF-PPO',
    paper: 'Policy Filtration in RLHF to Fine-Tune LLM for Code Generation',
    class: 'core',
    about: 'Keeps those ranks of sampled answers at which the reward model can be trusted.',
    state: works({ method: 'pf-ppo' }, 'tests/engine/rl/variants.test.ts', 'PF-PPO'),
  },
  {
    id: 'rlocator',
    name: 'RLocator',
    paper: 'RLocator: Reinforcement Learning for Bug Localization',
    class: 'adaptable',
    about: 'Ranks files for a bug report one after the other, rewarded by the ranking.',
    state: none('A world that picks candidates one after the other, with a reward for the ranking.'),
  },
  {
    id: 'grpo-roc',
    name: 'GRPO-RoC',
    paper: 'rStar2-Agent: Agentic Reasoning Technical Report',
    class: 'core',
    about: 'Samples twice as many answers, and keeps right ones with few tool errors.',
    state: works({ method: 'grpo-roc' }, 'tests/engine/rl/variants.test.ts', 'GRPO-RoC'),
  },
]);
