import { inCluster, works, none } from '../kernel/system.ts';

/** Replay and asynchrony. */
export const replay = inCluster(12, [
  {
    id: 'srl',
    name: 'SRL (ReaLly Scalable RL)',
    paper: 'SRL: Scaling Distributed Reinforcement Learning to Over Ten Thousand Cores',
    class: 'adaptable',
    about: 'Splits training into environment, policy and trainer workers that exchange streams.',
    state: none(),
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
    about: 'Replays own successes with a growing weight, while a bonus for tool use fades.',
    state: works({ method: 'spear' }, 'tests/engine/rl/replay.test.ts', 'SPEAR'),
  },
  {
    id: 'rl-for-mle-agents',
    name: 'RL for MLE agents',
    paper: 'Reinforcement Learning for Machine Learning Engineering Agents',
    class: 'core',
    about: 'Weights each action by the time it took, and gives credit for printed milestones.',
    state: none(),
  },
  {
    id: 'areal',
    name: 'AReaL',
    paper: 'AReaL: A Large-Scale Asynchronous Reinforcement Learning System for Language Reasoning',
    class: 'adaptable',
    about: 'Samples while it trains, within a bound of staleness, with two ratios to correct for it.',
    state: works(
      { method: 'decoupled-ppo' },
      'tests/engine/rl/stale-rows.test.ts',
      'corrected by the importance ratio',
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
]);
