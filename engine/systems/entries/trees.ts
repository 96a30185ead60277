import { inCluster, expressible, none, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Start states, branches and trees. */
export const trees = inCluster(4, [
  {
    id: 'rlm-blueprint-x1',
    name: 'RLM blueprint / x1',
    paper: 'Reasoning Language Models: A Blueprint',
    class: 'adaptable',
    about: 'A vocabulary of reasoning systems, and a search-trained pair of policy and value model.',
    state: works({ method: 'step-apo', preset: 'x1' }, 'tests/engine/rl/trees/search-trees.test.ts', 'x1'),
  },
  {
    id: 'step-apo',
    name: 'CPL / Step-APO',
    paper: 'CPL: Critical Plan Step Learning Boosts LLM Generalization in Reasoning Tasks',
    class: 'core',
    about: 'Searches over plan steps, and turns gaps of advantage between siblings into a step-wise DPO.',
    state: works({ method: 'step-apo' }, 'tests/support/oracles/steps.json', 'advantageMargin'),
  },
  {
    id: 'snapshotrl',
    name: 'SnapshotRL / S3RL',
    paper: 'Snapshot Reinforcement Learning: Leveraging Prior Trajectories for Efficiency',
    class: 'env',
    about: 'Starts episodes from states of a teacher’s trajectories, spread over clusters of them.',
    state: expressible(
      runOn('arithmetic', 'prefix-rft', { uncertain: 0, from: 0.95, to: 0.05 }),
      'Starts inside stored solutions, ever closer to the prompt; without clusters of states.',
    ),
  },
  {
    id: 'satori',
    name: 'Satori (COAT, RAE)',
    paper:
      'Satori: Reinforcement Learning with Chain-of-Action-Thought Enhances LLM Reasoning via Autoregressive Search',
    class: 'core',
    about: 'Restarts from the middle of own solutions, right or wrong, and rewards a good reflection.',
    state: works({ method: 'satori', plan: 'satori' }, 'tests/engine/rl/trees/branches.test.ts'),
  },
  {
    id: 'rl-on-incorrect-synthetic-data',
    name: 'RL on incorrect synthetic data',
    paper: 'RL on Incorrect Synthetic Data Scales the Efficiency of LLM Math Reasoning by Eight-Fold',
    class: 'core',
    about: 'Finds the first bad step by rollouts, and pairs it with a good step from the same prefix.',
    state: works({ method: 'step-dpo' }, 'tests/engine/rl/trees/search-trees.test.ts'),
  },
  {
    id: 'agent-r',
    name: 'Agent-R',
    paper: 'Agent-R: Training Language Model Agents to Reflect via Iterative Self-Training',
    class: 'core',
    about: 'Splices a failed beginning, a note of the error and a good ending into one training trace.',
    state: none('Traces spliced from a failed beginning, a note of the error and a good ending.'),
  },
  {
    id: 'rest-mcts',
    name: 'ReST-MCTS*',
    paper: 'ReST-MCTS*: LLM Self-Training via Process Reward Guided Tree Search',
    class: 'core',
    about: 'Tree search under a step value whose targets are then read off the tree for retraining.',
    state: works({ method: 'rest-mcts' }, 'tests/engine/rl/trees/search-trees.test.ts'),
  },
  {
    id: 'mrt',
    name: 'MRT (meta reinforcement fine-tuning)',
    paper: 'Optimizing Test-Time Compute via Meta Reinforcement Fine-Tuning',
    class: 'core',
    about: 'Rewards each episode of a trace by the progress it makes towards a right answer.',
    state: none('Progress of an episode, measured by answers forced before and behind it.'),
  },
  {
    id: 'tree-structured-rm-data',
    name: 'tree-structured RM data',
    paper: 'Reward Generalization in RLHF: A Topological Perspective',
    class: 'core',
    about: 'Draws preference pairs from leaves of trees that share prefixes.',
    state: none('Preference pairs of leaves that share a beginning.'),
  },
  {
    id: 'rest-rl',
    name: 'ReST-RL',
    paper: 'ReST-RL: Achieving Accurate Code Reasoning of LLMs with Optimized Self-Training and Decoding',
    class: 'core',
    about: 'Starts groups from partial good answers, then decodes by tree search with a learned value.',
    state: none('Groups that begin inside partial good answers, and a decoder guided by the value model.'),
  },
  {
    id: 'cure',
    name: 'CURE',
    paper: 'CURE: Critical-Token-Guided Re-Concatenation for Entropy-Collapse Prevention',
    class: 'core',
    about: 'Branches at uncertain tokens of own answers, and trains both branches.',
    state: works({ method: 'cure' }, 'tests/engine/rl/trees/branches.test.ts'),
  },
  {
    id: 'dr-po',
    name: 'DR-PO',
    paper: 'Dataset Reset Policy Optimization for RLHF',
    class: 'core',
    about: 'Starts some answers inside a stored preferred answer instead of at the prompt.',
    state: expressible(
      runOn('arithmetic', 'prefix-rft', { groupSize: 2, uncertain: 0 }),
      'The length of the prefix follows a schedule; credit by group, not by a critic.',
    ),
  },
  {
    id: 'deepsearch',
    name: 'DeepSearch',
    paper:
      'DeepSearch: Overcome the Bottleneck of Reinforcement Learning with Verifiable Rewards via Monte Carlo Tree Search',
    class: 'core',
    about: 'Searches trees in training with a global frontier, and credits steps from backed-up values.',
    state: none(
      'A global frontier, a cache of solved prompts, and a filter of hard ones, around a search in training.',
    ),
  },
]);
