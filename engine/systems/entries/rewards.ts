import { expressible, expressibleAsPlan, inCluster, none, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Composition of rewards. */
export const rewards = inCluster(10, [
  {
    id: 'nl2tl',
    name: 'NL2TL',
    paper: 'NL2TL: Transforming Natural Languages to Temporal Logics using Large Language Models',
    class: 'adaptable',
    about: 'Translates sentences into temporal logic with the propositions lifted out.',
    state: none(
      'Sentences with their formulas, propositions lifted out, and a check that two formulas are equivalent.',
    ),
  },
  {
    id: 'apc',
    name: 'APC (persona faithfulness)',
    paper: 'Quantifying and Optimizing Global Faithfulness in Persona-driven Role-playing',
    class: 'adaptable',
    about: 'Scores a persona’s answer statement by statement: relevant ones entailed, none contradicted.',
    state: works({ reward: 'persona' }, 'tests/engine/rewards/split-rewards.test.ts', 'APC'),
  },
  {
    id: 'morl-d',
    name: 'MORL/D',
    paper: 'Multi-Objective Reinforcement Learning Based on Decomposition: A Taxonomy and Framework',
    class: 'adaptable',
    about: 'A population of weightings of several objectives, whose members share what they learn.',
    state: expressible(
      runOn(
        'arithmetic',
        'grpo',
        {},
        { rewards: [{ id: 'verifier' }, { id: 'length' }], composer: { id: 'tchebycheff' } },
      ),
      'One member: a matrix of a plan can train one for each weighting, but they share nothing, and no front of ' +
        'theirs moves the weightings.',
    ),
  },
  {
    id: 'dynamic-reward-weighting',
    name: 'Dynamic reward weighting',
    paper: 'Learning to Optimize Multi-Objective Alignment Through Dynamic Reward Weighting',
    class: 'core',
    about: 'Moves the weights of several rewards during training, by hypervolume or by gradients.',
    state: expressible(
      runOn(
        'arithmetic',
        'grpo',
        { scaleBy: 'none' },
        { rewards: [{ id: 'verifier' }, { id: 'length' }], composer: { id: 'hypervolume' } },
      ),
      'The volume is of means of training batches, not of validation scores; no weights by gradients.',
    ),
  },
  {
    id: 'msrl',
    name: 'MSRL (chart-to-code)',
    paper:
      'Breaking the SFT Plateau: Multimodal Structured Reinforcement Learning for Chart-to-Code Generation',
    class: 'adaptable',
    about: 'Rule checks of fields come first, and the likeness of the rendered chart is added later.',
    state: works(
      { file: 'engine/rewards/composers/stages.ts' },
      'tests/engine/rl/composed-rewards.test.ts',
      'MSRL',
    ),
  },
  {
    id: 'orso',
    name: 'ORSO',
    paper: 'ORSO: Accelerating Reward Design via Online Reward Selection and Policy Optimization',
    class: 'core',
    about: 'Treats candidate rewards as arms of a bandit, one policy each, and trains the promising ones.',
    state: works(
      { file: 'engine/plans/arena/d3rb.ts', plan: 'orso' },
      'tests/engine/plan-arena.test.ts',
      'ORSO',
    ),
  },
  {
    id: 'text-to-drive',
    name: 'Text-to-Drive (T2D)',
    paper: 'Text-to-Drive: Diverse Driving Behavior Synthesis via Large Language Models',
    class: 'adaptable',
    about: 'Compiles descriptions of behaviour into state charts that reward and summarise trajectories.',
    state: expressibleAsPlan(
      'behaviours',
      'Charts are drawn in the editor or written by hand; in the paper a language model describes behaviours and writes their charts.',
    ),
  },
  {
    id: 'auto-mc-reward',
    name: 'Auto MC-Reward',
    paper: 'Auto MC-Reward: Automated Dense Reward Design with Large Language Models for Minecraft',
    class: 'adaptable',
    about: 'Writes reward code, lets an analyser read the failures, and refines it.',
    state: none('A model that writes reward code, reads a summary of the failures, and rewrites it.'),
  },
  {
    id: 'slim',
    name: 'SLIM',
    paper: 'SLIM: Skill Learning with Multiple Critics',
    class: 'adaptable',
    about: 'Gives each reward its own critic, and adds their normalised advantages.',
    state: works({ method: 'slim' }, 'tests/engine/rl/turn-credit.test.ts', 'SLIM'),
  },
  {
    id: 'carl',
    name: 'CaRL',
    paper: 'CaRL: Learning Scalable Planning Policies with Simple Rewards',
    class: 'adaptable',
    about: 'One measure of progress, multiplied down by each infraction, instead of a sum of rewards.',
    state: works(
      { file: 'engine/rewards/composers/product.ts' },
      'tests/engine/rewards/composers.test.ts',
      'multiplies powers',
    ),
  },
  {
    id: 'ads',
    name: 'ADS',
    paper: 'Imitation Learning from Observation with Automatic Discount Scheduling',
    class: 'adaptable',
    about: 'Raises the discount as more of the expert’s progress is reproduced.',
    state: none('A discount that rises with the matched part of an expert’s progress.'),
  },
  {
    id: 'lare',
    name: 'LaRe',
    paper: 'Latent Reward: LLM-Empowered Credit Assignment in Episodic Reinforcement Learning',
    class: 'adaptable',
    about: 'Writes features of a step as code, and learns a sum of them that equals the final return.',
    state: works({ reward: 'lare' }, 'tests/engine/rewards/split-rewards.test.ts', 'LaRe'),
  },
]);
