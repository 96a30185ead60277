import { expressibleAsPlan, inCluster, none, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Several roles that write. */
export const roles = inCluster(1, [
  {
    id: 'crt',
    name: 'CRT (curiosity-driven red teaming)',
    paper: 'Curiosity-driven Red-teaming for Large Language Models',
    class: 'core',
    about: 'Trains an attacker whose reward includes novelty against everything that it has asked before.',
    state: works({ method: 'crt', plan: 'red-team' }, 'tests/engine/rl/games.test.ts'),
  },
  {
    id: 'daslam',
    name: 'DaSLaM',
    paper: 'Small Language Models Fine-tuned to Coordinate Larger Language Models improve Complex Reasoning',
    class: 'adaptable',
    about: 'A small model splits problems into questions for a frozen solver, rewarded by its gain.',
    state: none('A decomposer whose sub-questions a frozen solver answers one by one.'),
  },
  {
    id: 'mart',
    name: 'MART',
    paper: 'MART: Improving LLM Safety with Multi-round Automatic Red-Teaming',
    class: 'core',
    about: 'Attacker and target train in rounds, each on what the reward models keep of the other’s output.',
    state: works({ method: 'mart' }, 'tests/engine/rl/games.test.ts'),
  },
  {
    id: 'past-tense-refusal-gap',
    name: 'Past-tense refusal gap',
    paper: 'Does Refusal Training in LLMs Generalize to the Past Tense?',
    class: 'core',
    about: 'Rewrites requests into the past tense to get around refusals, and trains the gap away.',
    state: works(
      { file: 'engine/worlds/toy/triggers.ts' },
      'tests/engine/rl/games.test.ts',
      'past-tense-refusal-gap',
      runOn(
        'toy/triggers',
        'sft',
        {},
        {
          task: { kind: 'world', id: 'toy/triggers', params: { side: 'defend', wrong: 0, past: 0.05 } },
          evaluations: [{ name: 'past', world: { id: 'toy/triggers', params: { side: 'defend', past: 1 } } }],
        },
      ),
    ),
  },
  {
    id: 'lspo',
    name: 'LSPO (Werewolf)',
    paper:
      'Learning Strategic Language Agents in the Werewolf Game with Iterative Latent Space Policy Optimization',
    class: 'adaptable',
    about: 'Clusters what players say into actions, solves that game, and trains the wording on its values.',
    state: none('Utterances clustered into actions of a game, and a solver for that game.'),
  },
  {
    id: 'comas',
    name: 'CoMAS',
    paper: 'CoMAS: Co-Evolving Multi-Agent Systems via Interaction Rewards',
    class: 'core',
    about: 'Solver, critic and scorer reward one another in a discussion, without outside labels.',
    state: none(
      'Rewards of a discussion: a grader that writes, and a critic that earns what the solver loses.',
    ),
  },
  {
    id: 'spc',
    name: 'SPC (self-play critic)',
    paper: 'SPC: Evolving Self-Play Critic via Adversarial Games for LLM Reasoning',
    class: 'core',
    about: 'One model plants subtle errors in steps, another finds them, and both learn from the game.',
    state: none('A writer of subtly wrong steps, checked by what follows from them, against a critic.'),
  },
  {
    id: 'self-redteam',
    name: 'Self-RedTeam',
    paper: 'Chasing Moving Targets with Online Self-Play Reinforcement Learning for Safer Language Models',
    class: 'core',
    about: 'One model attacks and defends in turn in a zero-sum game with hidden reasoning.',
    state: none(
      'A model that attacks and defends in turn until it learns both within a toy run; its game is a part.',
    ),
  },
  {
    id: 'ssp',
    name: 'SSP (search self-play)',
    paper: 'Search Self-play: Pushing the Frontier of Agent Capability without Supervision',
    class: 'core',
    about: 'A proposer searches out questions that the solver can barely answer, checked by its documents.',
    state: none('Questions that a model writes for itself, checked before they count.'),
  },
  {
    id: 'spark',
    name: 'SPARK (co-evolving policy+reward)',
    paper: 'SPARK: Synergistic Policy And Reward Co-Evolving Framework',
    class: 'core',
    about: 'Turns verified answers into training data of a judge that is the same model.',
    state: works({ method: 'spark' }, 'tests/engine/rl/games.test.ts'),
  },
  {
    id: 'tango',
    name: 'Tango',
    paper: 'RL Tango: Reinforcing Generator and Verifier Together for Language Reasoning',
    class: 'core',
    about: 'Generator and written step verifier train in turns, each by reward, without step labels.',
    state: works(
      { method: 'tango', operator: 'verdicts', plan: 'co-training' },
      'tests/engine/rl/verdicts.test.ts',
    ),
  },
  {
    id: 'ert',
    name: 'ERT',
    paper: 'Embodied Red Teaming for Auditing Robotic Foundation Models',
    class: 'adaptable',
    about: 'Proposes diverse instructions, and learns in its context from those at which the policy fails.',
    state: expressibleAsPlan(
      'probe',
      'A grammar writes the instructions, a world’s own or text around any prompt; in the paper a vision-language model ' +
        'does, for the policy of a robot.',
    ),
  },
  {
    id: 'ui-genie',
    name: 'UI-Genie',
    paper: 'UI-Genie: A Self-Improving Approach for Iteratively Boosting MLLM-based Mobile GUI Agents',
    class: 'adaptable',
    about: 'Judge of trajectories and agent improve each other while tasks get harder.',
    state: none('A judge of trajectories that learns from planted faults while the agent explores.'),
  },
  {
    id: 'cory',
    name: 'CORY',
    paper:
      'Coevolving with the Other You: Fine-Tuning LLM with Sequential Cooperative Multi-Agent Reinforcement Learning',
    class: 'core',
    about: 'Two copies answer one after the other, share their reward, and swap places.',
    state: works({ method: 'cory' }, 'tests/engine/rl/co-players.test.ts'),
  },
]);
