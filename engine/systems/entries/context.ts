import { runOn } from '../kernel/specs.ts';
import { expressible, inCluster, none, works } from '../kernel/system.ts';

const TESTS = 'tests/engine/rl/attempts.test.ts';

/** Attempts, critiques and answers in the context. */
export const context = inCluster(3, [
  {
    id: 'situated-faithfulness',
    name: 'Situated faithfulness (SCR / RCR / CR-DPO)',
    paper: "Enhancing Large Language Models' Situated Faithfulness to External Contexts",
    class: 'core',
    about: 'Decides between its own knowledge and the given context, and learns the choice from pairs.',
    state: expressible(
      runOn('arithmetic', 'situated-faithfulness'),
      'Pairs teach the choice between a claim and the own answer; no confidence is reasoned in words before it.',
    ),
  },
  {
    id: 'self',
    name: 'SELF',
    paper: 'SELF: Language-Driven Self-Evolution for Large Language Model',
    class: 'core',
    about: 'Teaches a model to criticise and revise, then trains it on its own filtered revisions.',
    state: none('A critique that the model writes itself before it revises, learned from examples first.'),
  },
  {
    id: 'evoscale',
    name: 'EvoScale (Satori-SWE)',
    paper: 'Satori-SWE: Evolutionary Test-Time Scaling for Sample-Efficient Software Engineering',
    class: 'core',
    about: 'Shows earlier attempts in the prompt, and rewards a new attempt by its gain over them.',
    state: works(
      { method: 'evoscale', file: 'engine/rl/methods/search-rounds.ts', plan: 'evolve' },
      TESTS,
      'gains of successive rounds add up to the last reward less the first',
    ),
  },
  {
    id: 'score',
    name: 'SCoRe',
    paper: 'Training Language Models to Self-Correct via Reinforcement Learning',
    class: 'core',
    about: 'Trains the second of two attempts, with a bonus for what it gains over the first.',
    state: works(
      { method: 'score' },
      TESTS,
      'SCoRe rewards the second attempt alone in stage 1, and its progress in stage 2',
    ),
  },
  {
    id: 'evolve',
    name: 'EVOLVE (self-refinement)',
    paper: "Evolving LLMs' Self-Refinement Capability via Iterative Preference Optimization",
    class: 'core',
    about: 'Learns answering and refining in one model by preferences, and makes new pairs by refining.',
    state: works(
      { method: 'evolve' },
      TESTS,
      'EVOLVE pairs answers with answers, and refinements with refinements',
    ),
  },
  {
    id: 'ledex',
    name: 'LEDEX (self-debug + explain)',
    paper: 'Training LLMs to Better Self-Debug and Explain Code',
    class: 'core',
    about: 'Learns to explain and repair failing programs, with separate rewards for text and code.',
    state: none('Explanations written beside the repaired program, with a reward of their own.'),
  },
  {
    id: 'critique-grpo',
    name: 'Critique-GRPO',
    paper: 'Critique-GRPO: Advancing LLM Reasoning with Natural Language and Numerical Feedback',
    class: 'core',
    about: 'Adds one refinement made after a critique to each group, weighted towards unlikely tokens.',
    state: works(
      { method: 'critique-grpo' },
      TESTS,
      'Critique-GRPO keeps all first answers and the best revision of each prompt',
    ),
  },
  {
    id: 'leti',
    name: 'LeTI',
    paper: 'LeTI: Learning to Generate from Textual Interactions',
    class: 'core',
    about: 'Trains on programs with their error text after a good or bad mark, and asks for good.',
    state: works({ method: 'leti' }, TESTS, 'LeTI writes what the verifier says behind a bad answer alone'),
  },
  {
    id: 'expo',
    name: 'ExPO',
    paper: 'ExPO: Unlocking Hard Reasoning with Self-Explanation-Guided Reinforcement Learning',
    class: 'core',
    about: 'Asks the model to explain the known answer, and learns from that explanation.',
    state: works(
      { method: 'expo' },
      TESTS,
      'ExPO imitates explanations of the shown answer as answers to the plain prompt',
    ),
  },
  {
    id: 'agent-rlvr',
    name: 'Agent-RLVR',
    paper: 'Agent-RLVR: Training Software Engineering Agents via Guidance and Environment Rewards',
    class: 'core',
    about: 'Shows guidance after a failed attempt, and trains on the guided success.',
    state: works(
      { method: 'agent-rlvr' },
      TESTS,
      'rescue only problems without a right answer, stage by stage',
    ),
  },
  {
    id: 'cog-rethinker',
    name: 'Cog-Rethinker',
    paper: 'Cog-Rethinker: Hierarchical Metacognitive Reinforcement Learning for LLM Reasoning',
    class: 'core',
    about: 'Retries unsolved prompts split into parts, then with the wrong answers shown.',
    state: works(
      { method: 'cog-rethinker' },
      TESTS,
      'rescue only problems without a right answer, stage by stage',
    ),
  },
]);
