import type { PlanPreset } from './preset.ts';
import { policyOf, smallPolicy } from './shared.ts';

/** A chain of letters to spell, and how long its runs are. */
export interface Chain {
  /** Behind the names of all nodes. */
  readonly id: string;
  /** Lines of an answer. */
  readonly length: number;
  readonly seed?: number;
  /** Updates: of the imitation before, and of each verifier before it is trained by outcomes. */
  readonly imitation: number;
  readonly verdicts: number;
  /** Prompts with eight answers each, whose marks start the verifier. */
  readonly prompts: number;
  /** Batches of the verifier beforehand, and all updates of both roles. */
  readonly warmup: number;
  readonly steps: number;
  /** Problems of the last evaluation. */
  readonly problems: number;
}

const world = ({ length }: Chain) =>
  ({ id: 'toy/steps', params: { letters: 4, length, wrong: 0.5 } }) as const;
const taskOf = (chain: Chain) => ({ kind: 'world', ...world(chain) }) as const;
/** Answers whose lines are judged at evaluations: a sixth or more of them are right. */
const judged = ({ length }: Chain) =>
  ({ id: 'toy/steps', params: { letters: 4, length, wrong: 0.2 } }) as const;
const sampling = ({ length }: Chain) => ({ maxTokens: 2 * length + 2 });
const unmeasured = { problems: 0 } as const;
/** Lines of right answers that are replaced, so that their verdicts are known without marks on lines. */
export const planted = { id: 'verdicts', params: { by: 'planted', share: 0.25, copies: 4 } } as const;
/** Every line has the mark of its answer; right answers are repeated, since fewer are right. */
export const byOutcome = { id: 'verdicts', params: { by: 'outcome', copies: 3 } } as const;

/**
 * A small policy that reads bytes. It has four heads: with two, a verifier from it learns the verdict on one line
 * after the other, and after 4,800 updates still misses more first errors.
 */
const ofBytes = (context: number) => {
  const { policy } = smallPolicy(context, 2).models;
  return { ...policy, architecture: { ...policy.architecture, heads: 4 }, tokenizer: { kind: 'bytes' } };
};

/** A policy that spells, each letter right more often than any other. */
export const speller = (chain: Chain) => ({
  id: `base-${chain.id}`,
  spec: {
    method: { id: 'sft' },
    models: { policy: ofBytes(6 * chain.length + 8) },
    task: taskOf(chain),
    sampling: sampling(chain),
    optimizer: { learningRate: 5e-3, beta2: 0.95, schedule: 'linear' },
    budget: { steps: chain.imitation, batch: 32 },
    evaluation: unmeasured,
    seed: chain.seed ?? 0,
  },
});

/**
 * Eight answers to each of so many prompts, marked as wholes; warily sampled, so that enough of them are
 * right.
 */
export const answersOf = (chain: Chain, id = 'answers', prompts = chain.prompts, seed = 0) => ({
  id: `${id}-${chain.id}`,
  spec: {
    method: { id: 'sample', params: { groupSize: 8 } },
    ...policyOf(`base-${chain.id}`),
    task: taskOf(chain),
    rewards: [{ id: 'verifier' }],
    sampling: { ...sampling(chain), temperature: 0.4 },
    budget: { steps: Math.ceil(prompts / 20), batch: 20 },
    evaluation: unmeasured,
    seed: (chain.seed ?? 0) + seed,
  },
});

/** A verifier from the policy's weights that imitates verdicts made of those marks. */
export const imitatedVerifier = (
  chain: Chain,
  id: string,
  { answers, operator }: { readonly answers: readonly string[]; readonly operator: object },
) => ({
  id: `${id}-${chain.id}`,
  spec: {
    method: { id: 'sft' },
    ...policyOf(`base-${chain.id}`),
    task: {
      kind: 'run',
      answers: answers.map((each) => `${each}-${chain.id}`),
      operators: [operator],
      heldout: 0,
    },
    sampling: sampling(chain),
    optimizer: { learningRate: 5e-3, beta2: 0.95, schedule: 'linear' },
    budget: { steps: chain.verdicts, batch: 32 },
    evaluation: unmeasured,
    seed: chain.seed ?? 0,
  },
});

/** Prompts of an update. */
export const BATCH = 8;
const learned = { groupSize: 5, klWeight: 0.001 };
const learns = (chain: Chain, own: object) => ({
  ...policyOf(`base-${chain.id}`),
  task: taskOf(chain),
  sampling: sampling(chain),
  optimizer: { learningRate: 4e-3, schedule: 'constant' },
  evaluation: { problems: chain.problems, samples: 4, world: world(chain) },
  seed: (chain.seed ?? 0) + 100,
  ...own,
});

/** Tango with a verifier of an earlier node; with `steps` 1 the verifier is measured as it is. */
export const coTrained = (
  chain: Chain,
  id: string,
  { verifier, ...own }: { readonly verifier: string } & Partial<Pick<Chain, 'steps' | 'warmup'>>,
) => ({
  id: `${id}-${chain.id}`,
  spec: learns(chain, {
    method: {
      id: 'tango',
      params: { ...learned, share: 0.5, warmup: own.warmup ?? chain.warmup },
    },
    budget: { steps: own.steps ?? chain.steps, batch: BATCH },
    models: {
      ...policyOf(`base-${chain.id}`).models,
      verifier: policyOf(`${verifier}-${chain.id}`).models.policy,
    },
    roles: { verifier: { optimizer: { learningRate: 1e-4, schedule: 'constant' } } },
    evaluations: [
      { name: 'verifier', role: 'verifier', measure: 'first-error', world: judged(chain), problems: 400 },
    ],
  }),
});

/** GRPO on outcomes alone, with as many updates as both roles of Tango have together. */
export const outcomeAlone = (chain: Chain, id: string) => ({
  id: `${id}-${chain.id}`,
  spec: learns(chain, {
    method: { id: 'grpo', params: learned },
    budget: { steps: chain.steps, batch: BATCH },
  }),
});

const small: Chain = {
  id: 'spelling',
  length: 4,
  imitation: 400,
  verdicts: 500,
  prompts: 100,
  warmup: 8,
  steps: 56,
  problems: 50,
};

/** Zha et al. 2025, arXiv:2505.15034, in about a minute. */
export const coTraining: PlanPreset = {
  id: 'co-training',
  title: 'Co-training (Tango)',
  summary:
    'A policy that spells, and a verifier that writes a verdict on each line; the verifier starts from errors planted ' +
    'in right answers, and both learn from outcomes in turns. “alone” has outcomes only.',
  sample: {
    title: 'Co-train',
    about:
      'A policy and a verifier that writes a verdict on each line learn in turns; nobody marks lines. Open the run ' +
      '“together” and its Verdicts. About a minute.',
  },
  plan: {
    name: 'Co-training',
    summary: 'arXiv:2505.15034: generator and step verifier trained together, without marks on steps.',
    nodes: [
      speller(small),
      answersOf(small),
      imitatedVerifier(small, 'start', { answers: ['answers'], operator: planted }),
      coTrained(small, 'together', { verifier: 'start' }),
      outcomeAlone(small, 'alone'),
    ],
  },
};
