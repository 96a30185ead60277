import { runOn } from '../kernel/specs.ts';
import { inCluster, none, works } from '../kernel/system.ts';

const CONDITIONS = 'tests/engine/rl/conditioned-judges.test.ts';
const SAMPLED = 'tests/engine/rl/sampled-judges.test.ts';

/** Judges and reward models. */
export const judges = inCluster(9, [
  {
    id: 'seq2seq-reward-model',
    name: 'Seq2seq reward model',
    paper: 'Sequence to Sequence Reward Modeling: Improving RLHF by Language Feedback',
    class: 'core',
    about:
      'A model rewrites answers into preferred ones, and rewards each token by agreement with the rewrite.',
    state: none('A judge that rewrites answers, and rewards of tokens by agreement with the rewrite.'),
  },
  {
    id: 'vlm-rm',
    name: 'VLM-RM',
    paper: 'Vision-Language Models are Zero-Shot Reward Models for Reinforcement Learning',
    class: 'adaptable',
    about: 'Rewards a picture by its closeness to a described goal, projected on the line from a baseline.',
    state: none('Models of pictures and their captions.'),
  },
  {
    id: 'ssr-zero',
    name: 'SSR-Zero',
    paper: 'SSR-Zero: Simple Self-Rewarding Reinforcement Learning for Machine Translation',
    class: 'adaptable',
    about: 'A translator rates its own translations in a judge’s prompt, and trains on the grades.',
    state: none('A reward that asks the policy itself in the prompt of a judge.'),
  },
  {
    id: 'deepseek-grm',
    name: 'DeepSeek-GRM / SPCT',
    paper: 'Inference-Time Scaling for Generalist Reward Modeling',
    class: 'core',
    about: 'A judge writes principles and critiques before scores, and votes over several samples.',
    state: works({ method: 'spct' }, SAMPLED),
  },
  {
    id: 'dpa',
    name: 'DPA (directional preference)',
    paper:
      'Arithmetic Control of LLMs for Diverse User Preferences: Directional Preference Alignment with Multi-Objective Rewards',
    class: 'core',
    about: 'Conditions the policy on a direction in the space of rewards, given as numbers in the prompt.',
    state: works({ method: 'dpa' }, CONDITIONS),
  },
  {
    id: 'onereward',
    name: 'OneReward',
    paper: 'OneReward: Unified Mask-Guided Image Generation via Multi-Task Human Preference Learning',
    class: 'adaptable',
    about: 'One judge for many tasks gets task and criterion, and says which of two pictures wins.',
    state: none('A judge of pairs that reads a criterion.'),
  },
  {
    id: 'srum',
    name: 'SRUM',
    paper: 'SRUM: Fine-Grained Self-Rewarding for Unified Multimodal Models',
    class: 'adaptable',
    about: 'A model’s judging half rates its generating half, on the whole and region by region.',
    state: none('Models that draw pictures and judge them.'),
  },
  {
    id: 'pit',
    name: 'PIT (implicit self-improvement)',
    paper: 'Enable Language Models to Implicitly Learn Self-Improvement From Data',
    class: 'core',
    about: 'Rewards improvement over a reference answer, so that the model can be applied repeatedly.',
    state: none('A reward model of improvement over a reference answer in its prompt.'),
  },
  {
    id: 'salmon',
    name: 'SALMON',
    paper: 'SALMON: Self-Alignment with Principle-Following Reward Models',
    class: 'core',
    about: 'A reward model that reads principles, so that a new principle corrects it without new data.',
    state: works({ method: 'salmon' }, CONDITIONS),
  },
  {
    id: 'self-rationalization-judge',
    name: 'Self-rationalization judge',
    paper: 'Self-rationalization improves LLM as a fine-grained judge',
    class: 'core',
    about: 'A judge learns from its own rationales: those with the right grade against those without.',
    state: works({ method: 'self-rationalization' }, SAMPLED),
  },
  {
    id: 'vpl',
    name: 'VPL',
    paper: 'Personalizing Reinforcement Learning from Human Feedback with Variational Preference Learning',
    class: 'core',
    about: 'Infers a latent for each user from a few comparisons, and conditions reward and policy on it.',
    state: works({ method: 'vpl' }, CONDITIONS),
  },
  {
    id: 'tp-grpo',
    name: 'TP-GRPO',
    paper:
      'Good Learners Think Their Thinking: Generative PRM Makes Large Reasoning Model More Efficient Math Learner',
    class: 'core',
    about: 'A judge marks stretches of thought, weighted by the ability that the group shows.',
    state: none('Credit of stretches of thought, weighted by the pass rate of the group.'),
  },
  {
    id: 'gc-contrastive-rm',
    name: 'GC contrastive RM',
    paper: 'Learning Goal-Conditioned Representations for Language Reward Models',
    class: 'core',
    about: 'A contrastive loss pulls the states of a reward model towards those of preferred answers.',
    state: works({ method: 'goal-reward' }, CONDITIONS),
  },
  {
    id: 'fapo',
    name: 'FAPO',
    paper: 'FAPO: Flawed-Aware Policy Optimization for Efficient and Reliable Reasoning',
    class: 'core',
    about: 'Gives right answers with flawed reasons less than sound ones, found by a trained detector.',
    state: works(
      { reward: 'fapo' },
      'tests/engine/rewards/fapo.test.ts',
      'fapo',
      runOn('arithmetic', 'grpo', {}, { rewards: [{ id: 'fapo' }] }),
    ),
  },
]);
