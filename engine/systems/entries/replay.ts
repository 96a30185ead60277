import { inCluster, works, expressible, none } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Replay and asynchrony. */
export const replay = inCluster(12, [
  {
    id: 'srl',
    name: 'SRL (ReaLly Scalable RL)',
    paper: 'SRL: Scaling Distributed Reinforcement Learning to Over Ten Thousand Cores',
    class: 'adaptable',
    about: 'Splits training into environment, policy and trainer workers that exchange streams.',
    state: none(
      'Sampling, inference and training by workers on several machines: a run is one engine process.',
    ),
  },
  {
    id: 'remix',
    name: 'ReMix',
    paper:
      'Squeeze the Soaked Sponge: Efficient Off-policy Reinforcement Finetuning for Large Language Model',
    class: 'core',
    about: 'Reuses old samples under clipped ratios with two anchors, and later resets the reference.',
    state: works({ method: 'remix' }, 'tests/engine/rl/replay.test.ts', 'ReMix'),
  },
  {
    id: 'spear',
    name: 'SPEAR',
    paper:
      'Learn the Ropes, Then Trust the Wins: Self-imitation with Progressive Exploration for Agentic Reinforcement Learning',
    class: 'core',
    about: 'Replays own successes, with a growing weight, while they beat the median of fresh rewards.',
    state: works({ method: 'spear' }, 'tests/engine/rl/replay.test.ts', 'SPEAR'),
  },
  {
    id: 'rl-for-mle-agents',
    name: 'RL for MLE agents',
    paper: 'Reinforcement Learning for Machine Learning Engineering Agents',
    class: 'core',
    about: 'Weights each action by the time it took, and gives credit for printed milestones.',
    state: none(
      'The time that each action took, and its loss weighted by it; `monitor` rewards printed milestones.',
    ),
  },
  {
    id: 'areal',
    name: 'AReaL',
    paper: 'AReaL: A Large-Scale Asynchronous Reinforcement Learning System for Language Reasoning',
    class: 'adaptable',
    about: 'Samples while it trains, within a bound of staleness, with two ratios to correct for it.',
    state: expressible(
      runOn('toy/copy', 'decoupled-ppo'),
      'Stale answers come from replay with a bound on their age: sampling and training take turns.',
    ),
  },
  {
    id: 'aw-rw-sampling',
    name: 'AW/RW sampling',
    paper: 'Harnessing Mixed Offline Reinforcement Learning Datasets via Trajectory Weighting',
    class: 'adaptable',
    about: 'Samples trajectories by how far their return exceeds what was expected at the start.',
    state: works(
      { method: 'aw-sampling' },
      'tests/engine/rl/variants.test.ts',
      'advantage-weighted sampling',
    ),
  },
  {
    id: 'roer',
    name: 'ROER',
    paper: 'ROER: Regularized Optimal Experience Replay',
    class: 'env',
    about: 'Prioritises replay by exponentials of errors, learned with an extreme-value loss.',
    state: works({ method: 'roer', plan: 'replay' }, 'tests/engine/rl/replay.test.ts', 'ROER'),
  },
]);
