import { expressible, inCluster, works, none } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Decoding. */
export const decoding = inCluster(6, [
  {
    id: 'rl4lms-nlpo',
    name: 'RL4LMs / GRUE / NLPO',
    paper:
      'Is Reinforcement Learning (Not) for Natural Language Processing: Benchmarks, Baselines, and Building ' +
      'Blocks for Natural Language Policy Optimization',
    class: 'core',
    about: 'PPO on text in which a lagging copy of the policy masks every token outside its nucleus.',
    state: works({ method: 'nlpo' }, 'tests/engine/models/caps.test.ts', 'the nucleus of a second model'),
  },
  {
    id: 'stg',
    name: 'STG (selective token generation)',
    paper: 'Selective Token Generation for Few-shot Natural Language Generation',
    class: 'core',
    about: 'A selector decides token by token whether the frozen model or its tuned copy speaks.',
    state: none(
      'A trained selector of one of two models for each token: guidance mixes them with a fixed weight.',
    ),
  },
  {
    id: 'rectification',
    name: 'Rectification (dead-end analysis)',
    paper: 'Systematic Rectification of Language Models via Dead-end Analysis',
    class: 'core',
    about: 'Caps the probability of tokens that a value model expects to lead to an undesired end.',
    state: works(
      { method: 'dead-end', file: 'engine/models/generate/caps.ts' },
      'tests/engine/models/caps.test.ts',
      'hold every token to the probability of a good end',
    ),
  },
  {
    id: 'recursive-speculative-decoding',
    name: 'Recursive speculative decoding (RSD)',
    paper: 'Recursive Speculative Decoding: Accelerating LLM Inference via Sampling Without Replacement',
    class: 'core',
    about: 'Drafts a tree without repeats, and verifies siblings so that the target’s law stays exact.',
    state: works(
      { file: 'engine/models/generate/draft-tree.ts' },
      'tests/engine/models/speculative.test.ts',
      'have the law of the sampled model over whole answers',
    ),
  },
  {
    id: 'xgrammar',
    name: 'XGrammar',
    paper: 'XGrammar: Flexible and Efficient Structured Generation Engine for Large Language Models',
    class: 'core',
    about: 'Compiles a grammar into token masks, and checks only what depends on the context at run time.',
    state: works(
      { file: 'engine/models/generate/grammar/token-grammar.ts' },
      'tests/engine/models/grammar.test.ts',
      'every answer fits its pattern',
    ),
  },
  {
    id: 'genarm',
    name: 'GenARM',
    paper: 'GenARM: Reward Guided Generation with Autoregressive Reward Model for Test-time Alignment',
    class: 'core',
    about: 'A reward model that scores tokens steers the decoding of a frozen base model.',
    state: works(
      { file: 'engine/models/generate/hooks.ts' },
      'tests/engine/rl/decoding.test.ts',
      'steers a frozen one (GenARM)',
    ),
  },
  {
    id: 'rlg',
    name: 'RLG (RL guidance)',
    paper: 'Inference-Time Alignment Control for Diffusion Models with Reinforcement Learning Guidance',
    class: 'adaptable',
    about: 'Mixes the logits of base and tuned model at decoding, which rescales the divergence penalty.',
    state: works(
      { file: 'engine/models/generate/hooks.ts' },
      'tests/engine/models/guidance.test.ts',
      'on the bandit',
    ),
  },
  {
    id: 'research-idea-generator-with-dynamic-control',
    name: 'Research-idea generator with dynamic control',
    paper: 'Learning to Generate Research Idea with Dynamic Control',
    class: 'adaptable',
    about: 'Steers ideas between novelty and feasibility by vectors chosen per sentence.',
    state: expressible(
      runOn(
        'toy/pairs',
        'sample',
        {},
        {
          rewards: [{ id: 'verifier' }],
          sampling: { maxTokens: 8, steering: { kind: 'answers', contrast: 'high', byLine: [0.5, 1, 2] } },
        },
      ),
      'One direction, whose strengths by line are stated; no decoder is trained that predicts them, and the ' +
        'dimensions’ rewards come from the run, not from reviews.',
    ),
  },
  {
    id: 'efficiency-steering',
    name: 'Efficiency Steering / SRE-RL',
    paper:
      'Exploring and Exploiting the Inherent Efficiency within Large Reasoning Models for Self-Guided Efficiency Enhancement',
    class: 'core',
    about: 'Steers hidden states towards short right answers, and rewards relative brevity.',
    state: works(
      { file: 'engine/models/generate/steering.ts' },
      'tests/engine/rl/decoding.test.ts',
      'leads from the longest right answer of a problem to its shortest',
    ),
  },
]);
