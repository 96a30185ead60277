import type { PlanPreset } from './preset.ts';
import { policyOf } from './shared.ts';

const task = {
  kind: 'world',
  id: 'arithmetic',
  params: {
    oneStep: 0.6,
    twoSteps: 0.4,
    smallestOperand: 0,
    largestOperand: 3,
    largestValue: 9,
    wrong: 0.3,
    rambling: 0,
  },
} as const;
const world = { id: task.id, params: task.params };
const sampling = { maxTokens: 24 };
const evaluation = { problems: 100, samples: 4, world };

/** Learns worked answers, of which three in ten carry a slip to the end: it writes right and wrong ones. */
const base = {
  id: 'base',
  spec: {
    method: { id: 'sft' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 48, layers: 1, heads: 2, context: 64 },
        tokenizer: { kind: 'characters' },
      },
    },
    task,
    sampling,
    optimizer: { learningRate: 1e-2 },
    budget: { steps: 200, batch: 32 },
    evaluation,
  },
};

/**
 * PPO from the start states of `params` on 64 answers, paid by the rule and, with `judge`, by the judge’s
 * probability as well.
 */
const learns = (id: string, from: string, { judge, steps, groupSize = 1, ...params }: Settings) => ({
  id,
  spec: {
    method: {
      id: 'satori',
      params: { groupSize, entropyWeight: 0, ...params, ...(judge && { right: 1 }) },
    },
    ...policyOf(from),
    task,
    sampling: { ...sampling, ...(params.good === 0 && judge && { temperature: 1.2 }) },
    rewards: [
      { id: 'verifier' },
      ...(judge ? [{ id: 'reward-model', params: { checkpointId: { node: judge } } }] : []),
    ],
    optimizer: { learningRate: 3e-4 },
    budget: { steps, batch: 64 / groupSize },
    evaluation,
  },
});
interface Settings {
  readonly steps: number;
  readonly judge?: string;
  readonly groupSize?: number;
  readonly good?: number;
  readonly bad?: number;
}

/** Answers of a policy, eight to a prompt. */
const writes = (id: string, from: string, own: object = {}) => ({
  id,
  spec: {
    method: { id: 'sample', params: { groupSize: 8 } },
    ...policyOf(from),
    task,
    sampling,
    budget: { steps: 4, batch: 32 },
    rewards: [{ id: 'verifier' }],
    evaluation: { problems: 0 },
    ...own,
  },
});

/** The second round’s PPO: eight answers to each prompt, and no restarts. */
const second = { groupSize: 8, good: 0, bad: 0 };

/** Shen et al. 2025, arXiv:2502.02508: self-improvement in two rounds. */
export const satori: PlanPreset = {
  id: 'satori',
  title: 'Restart, distil and restart (Satori)',
  summary:
    'A policy restarts from its own right and wrong answers, with a judge beside the rule. Its right answers ' +
    'to hard problems are distilled into the base, which learns again without restarts. “on” goes on without ' +
    'the reset, for as many updates.',
  plan: {
    name: 'Restart, distil and restart',
    summary: 'arXiv:2502.02508: PPO with restarts, its answers to hard problems into the base, PPO again.',
    nodes: [
      base,
      writes('tries', 'base'),
      {
        id: 'judge',
        spec: {
          method: { id: 'outcome-verifier' },
          ...policyOf('base'),
          task: { kind: 'run', answers: 'tries', heldout: 0.1, onlyCorrect: false },
          budget: { steps: 60, batch: 32 },
        },
      },
      learns('restarts', 'base', { judge: 'judge', steps: 120 }),
      writes('answers', 'restarts', {
        // the hard ones: two operations
        task: { ...task, params: { ...task.params, oneStep: 0, twoSteps: 1 } },
        seed: 1,
      }),
      {
        id: 'distil',
        spec: {
          method: { id: 'sft' },
          ...policyOf('base'),
          task: {
            kind: 'run',
            answers: 'answers',
            operators: [{ id: 'correct' }, { id: 'distinct' }],
            heldout: 0,
          },
          sampling,
          optimizer: { learningRate: 1e-3 },
          budget: { steps: 40, batch: 32 },
          evaluation,
        },
      },
      learns('again', 'distil', { judge: 'judge', steps: 120, ...second }),
      learns('on', 'restarts', { judge: 'judge', steps: 120, ...second }),
    ],
  },
};

/** Restarts next to none, in about a minute. */
export const startStates: PlanPreset = {
  id: 'start-states',
  title: 'Start states (sample of Satori)',
  summary:
    'Half of a batch begins inside the policy’s own right and wrong answers, with a bonus for repairs and a cost of ' +
    'damage; “prompts” begins at problems alone.',
  sample: {
    title: 'Start states',
    about:
      'A policy restarts from its own right and wrong answers. Its run’s Results show what it repairs and damages. About a minute.',
  },
  plan: {
    name: 'Start states',
    summary: 'arXiv:2502.02508: restarts from own answers next to PPO from prompts.',
    nodes: [
      base,
      learns('restarts', 'base', { steps: 60 }),
      learns('prompts', 'base', { steps: 60, good: 0, bad: 0 }),
    ],
  },
};
