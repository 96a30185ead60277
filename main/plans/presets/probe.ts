import type { PlanPreset } from './preset.ts';
import { policyOf } from './shared.ts';

const sampling = { maxTokens: 6 };
const unmeasured = { problems: 0 };
export const errands = (params: object = {}) => ({ kind: 'world', id: 'toy/errands', params });

/** Training data of the first policy: half plain instructions, half with one change. */
const known = errands({ changed: 0.5 });

/** A policy that learns ordinary instructions. */
export const learnsErrands = (steps: number, seed = 0) => ({
  method: { id: 'sft' },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 48, layers: 2, heads: 4, context: 112 },
      tokenizer: { kind: 'characters' },
    },
  },
  task: known,
  sampling,
  optimizer: { learningRate: 4e-3, beta2: 0.95, schedule: 'linear' },
  budget: { steps, batch: 32 },
  evaluation: { problems: 100, samples: 1, world: { id: 'toy/errands' } },
  seed,
});

/** Sizes of a probe: tasks, rounds and instructions for each task in a round. */
export interface ProbeSize {
  readonly tasks: number;
  readonly rounds: number;
  readonly instructions: number;
}

/** Asks a policy by instructions of the writer, in rounds, without training. */
export const probes = (
  policy: string,
  { tasks, rounds, instructions }: ProbeSize,
  params: object = {},
  seed = 0,
) => ({
  method: { id: 'ert', params: { groupSize: 1, instructions, ...params } },
  ...policyOf(policy),
  task: errands(),
  rewards: [{ id: 'verifier' }],
  sampling,
  budget: { steps: rounds, batch: tasks * instructions },
  evaluation: unmeasured,
  seed,
});

/** Answers to ordinary instructions, which a policy shall not forget. */
export const ordinary = (policy: string, count: number, seed = 0) => ({
  method: { id: 'sample', params: { groupSize: 1 } },
  ...policyOf(policy),
  task: known,
  rewards: [{ id: 'verifier' }],
  sampling,
  budget: { steps: 1, batch: count },
  evaluation: unmeasured,
  seed,
});

/** Learns the right answers to the instructions that failed, and to ordinary ones that were answered right. */
export const learnsFailures = (
  policy: string,
  { probe, plain, steps }: { readonly probe: string; readonly plain: string; readonly steps: number },
  seed = 0,
) => ({
  method: { id: 'sft' },
  ...policyOf(policy),
  task: {
    kind: 'run',
    answers: [probe, plain],
    operators: [
      { id: 'right-answer', params: { from: [probe], only: 'wrong' } },
      { id: 'correct' },
      { id: 'distinct' },
    ],
    heldout: 0.05,
  },
  sampling,
  optimizer: { learningRate: 2e-3, beta2: 0.95, schedule: 'linear' },
  budget: { steps, batch: 32 },
  evaluation: { problems: 100, samples: 1, world: { id: 'toy/errands' } },
  seed,
});

const size: ProbeSize = { tasks: 60, rounds: 3, instructions: 5 };

/** Karnik et al. 2024, arXiv:2411.18676, and then training on what was found. */
export const probe: PlanPreset = {
  id: 'probe',
  title: 'Probe: find instructions that fail, train on them, probe again (ERT)',
  summary:
    'A policy has learned to do errands by ordinary instructions. A writer looks in rounds for instructions that mean ' +
    'the same and fail; the policy learns the right answers to these, and is probed again.',
  sample: {
    title: 'Probe',
    about:
      'Instructions are looked for that mean what a policy knows and make it fail; it learns from these, and is probed ' +
      'again. About two minutes.',
  },
  plan: {
    name: 'Probe',
    summary:
      'arXiv:2411.18676: instructions of the same meaning at which a policy fails, and training on them.',
    nodes: [
      { id: 'policy', spec: learnsErrands(1500) },
      {
        id: 'rephrased',
        spec: probes('policy', { ...size, rounds: 1 }, { style: 'rephrase', sets: 1 }),
      },
      { id: 'probe', spec: probes('policy', size) },
      { id: 'ordinary', spec: ordinary('policy', 1000) },
      {
        id: 'learn',
        spec: learnsFailures('policy', { probe: 'probe', plain: 'ordinary', steps: 500 }),
      },
      { id: 'again', spec: probes('learn', size, {}, 1) },
    ],
  },
};
