import type { PlanPreset } from './preset.ts';
import { policyOf, smallPolicy } from './shared.ts';
import { copies } from './copies.ts';

const world = (length: number) => ({ id: 'toy/copy', params: { letters: 3, length } });
const budget = { steps: 14, batch: 16 };

/** A phase: prompts of its length, hard ones of the phases before, and GRPO on both. */
const phase = (number: number, length: number) => {
  const policy = number === 1 ? 'warm-up' : `phase-${number - 1}`;
  const asked = Array.from({ length: number }, (_none, k) => `ask-${k + 1}`);
  return [
    {
      id: `ask-${number}`,
      use: 'asks',
      spec: { ...policyOf(policy), task: { kind: 'world', ...world(length) } },
    },
    {
      id: `phase-${number}`,
      use: 'grpo',
      spec: {
        ...policyOf(policy),
        task: {
          kind: 'run',
          answers: asked,
          operators: [{ id: 'retrospective', params: { phase: `ask-${number}`, count: 16 } }],
          heldout: 0.1,
        },
      },
    },
  ];
};

/** Wan et al. 2025, arXiv:2505.17667. */
export const growing: PlanPreset = {
  id: 'qwenlong-l1',
  title: 'Growing inputs (QwenLong-L1)',
  summary:
    'After a warm-up, phases of GRPO on longer and longer inputs, with the hardest problems of earlier phases again; the ' +
    'reward is the greater of a rule and a judge. “direct” learns on the longest inputs at once.',
  plan: {
    name: 'Growing inputs',
    summary: 'arXiv:2505.17667: warm-up, phased input lengths, retrospective sampling, max(rule, judge).',
    specs: {
      grpo: {
        method: { id: 'grpo', params: { groupSize: 6 } },
        sampling: { maxTokens: 8 },
        rewards: [...copies, { id: 'reward-model', params: { checkpointId: { node: 'judge' } } }],
        composer: { id: 'max' },
        budget,
        evaluation: { problems: 60, samples: 4, world: world(4) },
      },
      asks: {
        method: { id: 'sample', params: { groupSize: 4 } },
        sampling: { maxTokens: 8 },
        rewards: [{ id: 'verifier' }],
        budget: { steps: 3, batch: 16 },
        evaluation: { problems: 0 },
      },
    },
    nodes: [
      {
        id: 'warm-up',
        spec: {
          method: { id: 'sft' },
          ...smallPolicy(24, 2),
          task: { kind: 'world', ...world(3) },
          sampling: { maxTokens: 8 },
          budget: { steps: 150, batch: 16 },
          evaluation: { problems: 60, samples: 4, world: world(4) },
        },
      },
      {
        id: 'judge',
        spec: {
          method: { id: 'outcome-verifier' },
          ...policyOf('warm-up'),
          task: { kind: 'world', ...world(3) },
          budget: { steps: 40, batch: 16 },
          evaluation: { problems: 0 },
        },
      },
      ...phase(1, 3),
      ...phase(2, 4),
      ...phase(3, 5),
      { id: 'longest', use: 'asks', spec: { ...policyOf('warm-up'), task: { kind: 'world', ...world(5) } } },
      {
        id: 'direct',
        use: 'grpo',
        spec: {
          ...policyOf('warm-up'),
          task: { kind: 'run', answers: 'longest', operators: [{ id: 'first' }], heldout: 0.1 },
          budget: { ...budget, steps: 3 * budget.steps },
        },
      },
    ],
  },
};
