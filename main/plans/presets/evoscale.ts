import type { PlanPreset } from './preset.ts';
import { policyOf } from './shared.ts';

/** Attempts of a round, which are all that the next one sees, and rounds. */
export const SHOWN = 3;
export const ROUNDS = 4;

/** Three attempts of four letters behind a prompt, and the answer. */
const CONTEXT = 60;
const task = {
  kind: 'world',
  id: 'sorting',
  params: {
    items: 'letters',
    method: 'none',
    credit: 'share',
    levels: 2,
    heldoutLevels: 0,
    wrong: 0,
    rambling: 0,
  },
} as const;
const sampling = { maxTokens: 10 };
const template = { shown: '{prompt}{attempts}', attempt: '{attempt} ' };
const unmeasured = { problems: 0 };

/** Updates of each run, batches of 16 prompts whose answers are shown, and problems of a search. */
export interface Sizes {
  readonly base: number;
  readonly sft: number;
  readonly asked: number;
  readonly mutation: number;
  readonly rl: number;
  readonly problems: number;
}

const tuned = (steps: number, seed: number) => ({
  method: { id: 'sft' },
  task,
  sampling,
  optimizer: { learningRate: 4e-3, beta2: 0.95, schedule: 'linear' },
  budget: { steps, batch: 32 },
  evaluation: unmeasured,
  seed,
});

/**
 * The base; from it classical SFT, and mutation SFT on answers of that; and from the latter the reinforced
 * policy.
 */
const policies = ({ base, sft, asked, mutation, rl }: Sizes, seed: number) => [
  {
    id: 'base',
    spec: {
      ...tuned(base, seed),
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 32, layers: 1, heads: 4, context: CONTEXT },
          tokenizer: { kind: 'characters' },
        },
      },
    },
  },
  { id: 'sft', spec: { ...tuned(sft, seed + 1), ...policyOf('base') } },
  {
    id: 'attempts',
    spec: {
      method: { id: 'sample', params: { groupSize: 2 * SHOWN } },
      ...policyOf('sft'),
      task,
      sampling,
      rewards: [{ id: 'verifier' }],
      budget: { steps: asked, batch: 16 },
      evaluation: unmeasured,
      seed: seed + 2,
    },
  },
  {
    id: 'mutation',
    spec: {
      ...tuned(mutation, seed + 3),
      ...policyOf('base'),
      task: {
        kind: 'run',
        answers: 'attempts',
        operators: [{ id: 'show', params: { attempts: SHOWN, keep: true, ...template } }],
        heldout: 0,
      },
    },
  },
  {
    id: 'rl',
    spec: {
      method: {
        id: 'evoscale',
        params: { attempts: SHOWN, groupSize: 4, baseline: 'group', average: 'token', ...template },
      },
      ...policyOf('mutation'),
      task,
      sampling,
      rewards: [{ id: 'verifier' }],
      optimizer: { learningRate: 6e-4, schedule: 'constant' },
      budget: { steps: rl, batch: 16 },
      evaluation: unmeasured,
      seed: seed + 4,
    },
  },
];

/** Rounds of a policy’s own attempts, and as many plain answers beside them. */
export const evolved = (policy: string, problems: number, params: object, seed = 0) => ({
  method: {
    id: 'search-rounds',
    params: { groupSize: SHOWN, rounds: ROUNDS, shows: SHOWN, beside: true, ...template, ...params },
  },
  ...policyOf(policy),
  task,
  sampling,
  rewards: [{ id: 'verifier' }],
  budget: { steps: 1, batch: problems },
  evaluation: { problems },
  seed: seed + 5,
});

/** The three trained policies, and how each evolves: nodes such as `sft-alone` and `rl-selector`. */
export const evolution = (sizes: Sizes, seed = 0) => [
  ...policies(sizes, seed),
  ...['sft', 'mutation', 'rl'].flatMap((policy) => [
    { id: `${policy}-alone`, spec: evolved(policy, sizes.problems, {}, seed) },
    {
      id: `${policy}-selector`,
      spec: evolved(policy, sizes.problems, { selector: 'verifier' }, seed),
    },
  ]),
];

/** Zeng et al. 2025, arXiv:2505.23604, in about a minute. */
export const evolve: PlanPreset = {
  id: 'evolve',
  title: 'Evolve (sample of EvoScale)',
  summary:
    'A small policy learns to improve its own attempts at sorting letters, and then answers in rounds that show them.',
  sample: {
    title: 'Evolve',
    about:
      'A small policy learns to improve its own attempts, then answers in rounds that show them, with and without a ' +
      'selector. About a minute.',
  },
  plan: {
    name: 'Evolve',
    summary: 'arXiv:2505.23604: mutation SFT, then rounds with and without a selector.',
    nodes: evolution({ base: 100, sft: 100, asked: 50, mutation: 200, rl: 60, problems: 24 }).filter(
      ({ id }) => !/^sft-|^mutation-selector/.test(id),
    ),
  },
};
