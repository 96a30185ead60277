import { inCluster, expressible, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Recipes and frameworks. */
export const recipes = inCluster(null, [
  {
    id: 'hybridflow',
    name: 'HybridFlow (verl)',
    paper: 'HybridFlow: A Flexible and Efficient RLHF Framework',
    class: 'adaptable',
    about: 'Writes RLHF as a dataflow of model roles, and moves weights between training and sampling.',
    state: expressible(
      runOn('arithmetic', 'ppo', {}),
      'Roles, typed columns and buffers as a recipe; in one process, with sampling and training in turn.',
    ),
  },
  {
    id: 'rlsp',
    name: 'RLSP',
    paper: 'On the Emergence of Thinking in LLMs I: Searching for the Right Intuition',
    class: 'core',
    about: 'A bonus for exploration is added to the verdict, but kept apart so that it cannot pass as it.',
    state: works(
      { reward: 'effort', method: 'ppo' },
      'tests/engine/rewards/self-rewards.test.ts',
      'effort: 1 − γ^T',
      runOn(
        'countdown',
        'ppo',
        {},
        {
          rewards: [
            { id: 'verifier', weight: 0.8 },
            { id: 'effort', weight: 0.2 },
          ],
        },
      ),
    ),
  },
  {
    id: 'redco',
    name: 'Redco',
    paper: 'Redco: A Lightweight Tool to Automate Distributed Training of LLMs on Any GPU/TPUs',
    class: 'adaptable',
    about: 'Shards models by two rules, and asks the user for three functions: collate, loss, predict.',
    state: expressible(
      runOn('arithmetic', 'sft', {}),
      'A method is one short file of rows, objective and sampler; no sharding over devices.',
    ),
  },
  {
    id: 'tulu-3',
    name: 'TULU 3 (RLVR recipe)',
    paper: 'TÜLU 3: Pushing Frontiers in Open Language Model Post-Training',
    class: 'core',
    about: 'Supervised training, then DPO, then PPO on verdicts alone: a complete open recipe.',
    state: works(
      { file: 'main/plans/presets/tulu-3.ts', method: 'ppo' },
      'tests/main/plan-presets.test.ts',
      'the critic of PPO starts from the reward model',
      runOn('arithmetic', 'ppo', { klWeight: 0.05 }, { rewards: [{ id: 'verifier', weight: 10 }] }),
    ),
  },
  {
    id: 'sharpening',
    name: 'Sharpening',
    paper: 'Self-Improvement in Language Models: The Sharpening Mechanism',
    class: 'core',
    about:
      'Trains the model on what it rates most likely itself, so that one sample equals its best of many.',
    state: works(
      { reward: 'likelihood' },
      'tests/engine/rewards/self-rewards.test.ts',
      'sharpens a policy to π_base^(1 + 1 ⁄ β)',
    ),
  },
  {
    id: 'sail',
    name: 'SAIL',
    paper: 'Self-Adapting Improvement Loops for Robotic Learning',
    class: 'out',
    about: 'Trains a planner on its own collected and filtered rollouts, round after round.',
    state: expressible(
      runOn('grid', 'rest-em', {}),
      'The loop of collecting, filtering and retraining, on a grid instead of video plans.',
    ),
  },
  {
    id: 'raft',
    name: 'RAFT',
    paper: 'RAFT: Reward rAnked FineTuning for Generative Foundation Model Alignment',
    class: 'core',
    about: 'Samples several answers per prompt, imitates the best one, and repeats.',
    state: works({ method: 'raft' }, 'tests/engine/rl/supervised.test.ts', 'best of K'),
  },
  {
    id: 'sid',
    name: 'SID',
    paper: 'Learning Goal-Oriented Language-Guided Navigation with Self-Improving Demonstrations at Scale',
    class: 'adaptable',
    about: 'Adds its own successful explorations to the demonstrations, and trains again.',
    state: expressible(
      runOn('grid', 'rest-em', {}),
      'After sft on grid; the view is whole, without unseen maps of its own.',
    ),
  },
]);
