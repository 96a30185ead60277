import { inCluster, expressible, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';
import { likeness, sharedWords } from '../kernel/snippets.ts';

/** Policy gradients and credit within groups. */
export const groupCredit = inCluster(null, [
  {
    id: 'swe-rl',
    name: 'SWE-RL',
    paper: 'SWE-RL: Advancing LLM Reasoning via Reinforcement Learning on Open Software Evolution',
    class: 'core',
    about: 'GRPO on edits of code, rewarded by their textual likeness to the edit that developers made.',
    state: expressible(
      runOn('program', 'grpo', {}, { rewards: [{ id: 'snippet', params: { code: likeness } }] }),
      'Your own code compares an answer with the reference by position; no corpus of edits.',
    ),
  },
  {
    id: 'direct-advantage-po',
    name: 'DAPO (Direct Advantage PO)',
    paper:
      'Improving Multi-Step Reasoning Abilities of Large Language Models with Direct Advantage Policy Optimization',
    class: 'core',
    about: 'Fits the policy’s step log-ratios to the advantages of a critic trained on partial solutions.',
    state: works({ method: 'direct-advantage' }, 'tests/engine/rl/step-values.test.ts'),
  },
  {
    id: 'vision-r1',
    name: 'Vision-R1 (PTST)',
    paper: 'Vision-R1: Incentivizing Reasoning Capability in Multimodal Large Language Models',
    class: 'adaptable',
    about: 'GRPO in stages that first allow short answers and many samples, then longer and fewer.',
    state: expressible(
      runOn(
        'arithmetic',
        'grpo',
        { groupSize: 16 },
        { rewards: [{ id: 'verifier' }, { id: 'format' }], sampling: { maxTokens: 16 } },
      ),
      'The first stage; then 8 answers of 32 tokens and 4 of 48, each from the last checkpoint.',
    ),
  },
  {
    id: 'nft',
    name: 'NFT (negative-aware fine-tuning)',
    paper: 'Bridging Supervised Learning and Reinforcement Learning in Math Reasoning',
    class: 'core',
    about: 'Learns from wrong answers too, through the negative policy that the sampler’s mixture implies.',
    state: works({ method: 'nft' }, 'tests/engine/rl/oracles-policy.test.ts', 'NFT = GRPO on-policy'),
  },
  {
    id: 'evol-rl',
    name: 'EVOL-RL',
    paper: 'Evolving Language Models without Labels: Majority Drives Selection, Novelty Promotes Variation',
    class: 'core',
    about: 'The majority decides which answers are right, and novelty orders them within each side.',
    state: works(
      { reward: 'evol', method: 'dapo-bytedance' },
      'tests/engine/rewards/comparing.test.ts',
      'evol',
      runOn('arithmetic', 'dapo-bytedance', {}, { rewards: [{ id: 'evol' }] }),
    ),
  },
  {
    id: 'toolrl',
    name: 'ToolRL',
    paper: 'ToolRL: Reward is All Tool Learning Needs',
    class: 'core',
    about: 'Rewards tool calls by form, and by the matches of names, parameters and values.',
    state: works({ reward: 'tool-rules' }, 'tests/engine/rewards/comparing.test.ts'),
  },
  {
    id: 'co-reward',
    name: 'Co-Reward',
    paper:
      'Co-Reward: Self-supervised Reinforcement Learning for Large Language Model Reasoning via Contrastive Agreement',
    class: 'core',
    about: 'The majority under one wording of a question rewards answers to its other wording.',
    state: expressible(
      runOn('arithmetic', 'grpo', {}, { rewards: [{ id: 'co-reward' }] }),
      'The votes come from the initial model in one direction, not from the policy in both.',
    ),
  },
  {
    id: 'prefix-rft',
    name: 'Prefix-RFT',
    paper: 'Blending Supervised and Reinforcement Fine-Tuning with Prefix Sampling',
    class: 'core',
    about: 'Continues part of a demonstration in each group, and learns only its uncertain tokens.',
    state: works({ method: 'prefix-rft' }, 'tests/engine/rl/supervised.test.ts', 'of shown tokens'),
  },
  {
    id: 'reasoning-sql',
    name: 'Reasoning-SQL',
    paper:
      'Reasoning-SQL: Reinforcement Learning with SQL Tailored Partial Rewards for Reasoning-Enhanced Text-to-SQL',
    class: 'core',
    about: 'Partial rewards for tables, words, syntax and form keep SQL learning alive before it runs.',
    state: expressible(
      runOn(
        'sql',
        'grpo',
        {},
        {
          rewards: [
            { id: 'verifier' },
            { id: 'snippet', weight: 0.2, params: { code: sharedWords } },
            { id: 'format', weight: 0.1 },
          ],
        },
      ),
      'Partial rewards are your own code; no judge for queries that fail.',
    ),
  },
  {
    id: 'oprl',
    name: 'OPRL',
    paper: 'Online Process Reward Leanring for Agentic Reinforcement Learning',
    class: 'core',
    about: 'A judge trained online by DPO credits each step, added to the credit of the outcome.',
    state: works({ method: 'oprl' }, 'tests/engine/rl/step-credit.test.ts', 'its judge score'),
  },
  {
    id: 'rover',
    name: 'ROVER',
    paper: 'Random Policy Valuation is Enough for LLM Reasoning with Verifiable Rewards',
    class: 'core',
    about: 'Values each token under the uniform policy, and acts by a softmax of these values.',
    state: works({ method: 'rover' }, 'tests/support/oracle-cases.ts', 'uniformValuation'),
  },
  {
    id: 'acereason',
    name: 'AceReason',
    paper: 'AceReason-Nemotron: Advancing Math and Code Reasoning through Reinforcement Learning',
    class: 'core',
    about: 'Mathematics first, then code, strictly on fresh samples and with growing length.',
    state: expressible(
      runOn('arithmetic', 'grpo', { epochs: 1, dropFlat: true }),
      'The first of two runs; the second continues on the world program with a longer limit.',
    ),
  },
  {
    id: 'campo',
    name: 'CAMPO',
    paper:
      'MiroMind-M1: An Open-Source Advancement in Mathematical Reasoning via Context-Aware Multi-Stage Policy Optimization',
    class: 'core',
    about: 'Stages of growing length, with a deduction for repetition and no divergence penalty.',
    state: works(
      { reward: 'repetition', method: 'dapo-bytedance', file: 'main/plans/presets/campo.ts' },
      'tests/engine/rewards/self-rewards.test.ts',
      'an early loop costs more',
      runOn(
        'arithmetic',
        'dapo-bytedance',
        {},
        { rewards: [{ id: 'verifier' }, { id: 'repetition', weight: 0.5 }] },
      ),
    ),
  },
  {
    id: 'pacs',
    name: 'PACS',
    paper: 'Implicit Actor Critic Coupling via a Supervised Learning Framework for RLVR',
    class: 'core',
    about: 'Reads the policy’s centred score as a logit of correctness, and fits it to the verdict.',
    state: works({ method: 'pacs' }, 'tests/support/oracle-cases.ts', 'coupledClassifier'),
  },
]);
