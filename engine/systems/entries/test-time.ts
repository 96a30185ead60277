import { inCluster, expressible, none, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Search and votes at test time. */
export const testTime = inCluster(5, [
  {
    id: 'rpc',
    name: 'RPC',
    paper: 'Bridging Internal Probability and Self-Consistency for Effective and Efficient LLM Reasoning',
    class: 'core',
    about: 'Votes with the probability of each path instead of its count, after dropping unlikely paths.',
    state: works(
      { method: 'search', file: 'engine/rl/search/rules/rpc.ts' },
      'tests/engine/rl/search/rules.test.ts',
      'counts each distinct path once, by its probability, as by hand',
    ),
  },
  {
    id: 'booststep',
    name: 'BoostStep',
    paper:
      'BoostStep: Boosting mathematical capability of Large Language Models via improved single-step reasoning',
    class: 'adaptable',
    about: 'Looks up a similar solved step for each step that it has tentatively written.',
    state: works(
      { method: 'boost-step' },
      'tests/engine/rl/search/own-changes.test.ts',
      'are looked up by a tried line, which is then written again behind them or stays',
    ),
  },
  {
    id: 'oreo',
    name: 'OREO',
    paper: 'Offline Reinforcement Learning for LLM Multi-Step Reasoning',
    class: 'core',
    about: 'Policy and value satisfy a soft Bellman equation along each stored answer.',
    state: works({ method: 'oreo' }, 'tests/support/oracle-cases.ts', 'softBellman'),
  },
  {
    id: 'se-agent',
    name: 'SE-Agent',
    paper: 'SE-Agent: Self-Evolution Trajectory Optimization in Multi-Step Reasoning with LLM-Based Agents',
    class: 'adaptable',
    about: 'Revises, recombines and refines a pool of trajectories over a few generations.',
    state: works(
      { method: 'search-evolve' },
      'tests/engine/rl/search/own-changes.test.ts',
      'shows the model its own answers by turns',
    ),
  },
  {
    id: 'tt-si',
    name: 'TT-SI',
    paper: 'Self-Improving LLM Agents at Test-Time',
    class: 'core',
    about: 'Tunes for one uncertain test input on examples that it made up, then restores the weights.',
    state: none('Updates of the weights for a single test input, undone after its answer.'),
  },
  {
    id: 'mate-choice-for-gp-diversity',
    name: 'Mate choice for GP diversity',
    paper: 'All You Need Is Sex for Diversity',
    class: 'adaptable',
    about: 'Each program carries a second program that describes its ideal mate.',
    state: none('A population of programs under crossover, each with a second program as its ideal mate.'),
  },
  {
    id: 'self-certainty',
    name: 'Self-certainty (Borda BoN)',
    paper: 'Scalable Best-of-N Selection for Large Language Models via Self-Certainty',
    class: 'core',
    about: 'Ranks samples by their distance from uniform predictions, and adds votes by rank.',
    state: works(
      { method: 'search', file: 'engine/rl/search/rules/borda.ts' },
      'tests/engine/rl/search/rules.test.ts',
      'by rank give (n − rank + 1)^p',
    ),
  },
  {
    id: 'repexp',
    name: 'RepExp',
    paper: 'Representation-Based Exploration for Language Models: From Test-Time to Post-Training',
    class: 'core',
    about: 'Adds a bonus for answers whose features lie far from those of the others.',
    state: expressible(
      runOn('arithmetic', 'grpo', {}, { rewards: [{ id: 'verifier' }, { id: 'rep-exp', weight: 0.1 }] }),
      'Features are the state at the last token, not the mean; no choice by novelty at inference.',
    ),
  },
  {
    id: 'self-prm',
    name: 'Self-PRM',
    paper: 'Is PRM Necessary? Problem-Solving RL Implicitly Induces PRM Capability in LLMs',
    class: 'core',
    about: 'Lets a policy judge its own samples step by step, and ranks them by the verdict.',
    state: works(
      { method: 'self-prm', file: 'engine/rl/search/rules/rerank.ts' },
      'tests/engine/rl/search/own-changes.test.ts',
      'is the share of lines for which yes is at least as likely as no',
    ),
  },
  {
    id: 'moose-chem2',
    name: 'MOOSE-Chem2',
    paper:
      'MOOSE-Chem2: Exploring LLM Limits in Fine-Grained Scientific Hypothesis Discovery via Hierarchical Search',
    class: 'adaptable',
    about: 'Descends from a general idea to its details, keeping the edits that a judge prefers.',
    state: works(
      { method: 'search-descend' },
      'tests/engine/rl/search/own-changes.test.ts',
      'edits the whole answer, then what follows its first lines, and keeps what the judge prefers',
    ),
  },
  {
    id: 'toolchain',
    name: 'ToolChain*',
    paper: 'ToolChain*: Efficient Action Space Navigation in Large Language Models with A* Search',
    class: 'adaptable',
    about: 'A* over a tree of tool calls, with agreement and memory as costs.',
    state: none(
      'Best-first search over tool calls by cost so far plus an estimate of the rest, with a memory of plans.',
    ),
  },
  {
    id: 'ige',
    name: 'IGE',
    paper: 'Intelligent Go-Explore: Standing on the Shoulders of Giant Foundation Models',
    class: 'adaptable',
    about: 'Go-Explore in which a language model says where to return and which states are new.',
    state: none('An archive of states to return to, and a language model that chooses among them.'),
  },
]);
