import { inCluster, expressible, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** References and teachers. */
export const references = inCluster(2, [
  {
    id: 'rlgf',
    name: 'RLGF (PPO++, AggreVaTeD, D2LOLS)',
    paper: 'Learning to Generate Better Than Your LLM',
    class: 'core',
    about: 'Lets a guide model write the first part of an answer, which the learner then completes.',
    state: works({ method: 'rlgf' }, 'tests/engine/rl/guides.test.ts', 'AggreVaTeD'),
  },
  {
    id: 't1',
    name: 'T1',
    paper: 'Advancing Language Model Reasoning through Reinforcement Learning and Inference Scaling',
    class: 'core',
    about: 'Many samples for each prompt, an entropy bonus, and a moving average of itself as reference.',
    state: works(
      { method: 't1' },
      'tests/engine/rl/models-by-role.test.ts',
      'the average moves after each update by its decay',
    ),
  },
  {
    id: 'weak-to-strong-generalization',
    name: 'Weak-to-strong generalization',
    paper: 'Weak-to-Strong Generalization: Eliciting Strong Capabilities With Weak Supervision',
    class: 'core',
    about: 'A strong student learns from a weak teacher’s labels, and trusts itself more and more.',
    state: works({ method: 'weak-to-strong' }, 'tests/engine/rl/guides.test.ts', 'auxiliary confidence loss'),
  },
  {
    id: 'selm',
    name: 'SELM',
    paper: 'Self-Exploring Language Models: Active Preference Elicitation for Online Alignment',
    class: 'core',
    about: 'Adds optimism against the last model to each round of online DPO, whose reference moves on.',
    state: expressible(
      runOn('arithmetic', 'xpo', { alpha: 0.001 }),
      'One round; each next one starts from its checkpoint, which is then the reference.',
    ),
  },
  {
    id: 'dph-rl',
    name: 'DPH-RL',
    paper:
      'The Choice of Divergence: A Neglected Key to Mitigating Diversity Collapse in Reinforcement Learning with Verifiable Reward',
    class: 'core',
    about: 'Rehearses stored base answers under a mass-covering divergence while it trains on hard prompts.',
    state: works({ method: 'dph-rl' }, 'tests/engine/rl/divergences.test.ts', 'DPH-RL'),
  },
  {
    id: 'kdrl',
    name: 'KDRL',
    paper: 'KDRL: Post-Training Reasoning LLMs via Unified Knowledge Distillation and Reinforcement Learning',
    class: 'core',
    about: 'Adds a divergence to a teacher on own samples to GRPO, and lets it fade.',
    state: works({ method: 'kdrl' }, 'tests/engine/rl/models-by-role.test.ts'),
  },
]);
