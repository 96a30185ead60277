import { mean } from '../effects/effect.ts';
import { from, imitation, smallPolicy, unmeasured } from '../effects/shared.ts';
import type { Claim, TenSystem } from './system.ts';

/** How stored rows are drawn and weighed, in control worlds. */
const rules = {
  roer: { replay: 'regularized' },
  uniform: { replay: 'uniform' },
  prioritized: { replay: 'prioritized' },
} as const;

/**
 * A control world, with the data that its runs begin with: half of its actions by the last policy of another
 * run, half at random. `rate` moves the weight of a row as far over a run as λ = 0.01 does in the paper, whose
 * rows are drawn 256 times: λ × draws of a row ≈ 2.5. β is the least of the paper where a step costs 1, and
 * the greatest where it costs up to 16.
 */
interface World {
  readonly id: string;
  readonly behavior: { readonly steps: number; readonly batch: number; readonly warmup: number };
  readonly run: { readonly steps: number; readonly batch: number; readonly warmup: number };
  readonly hidden: readonly number[];
  readonly learningRate: number;
  readonly shared: object;
  readonly weighing: { readonly beta: number; readonly rate: number };
}
const worlds: Readonly<Record<'maze' | 'pendulum', World>> = {
  maze: {
    id: 'control/point-maze-cost-anywhere',
    behavior: { steps: 4000, batch: 16, warmup: 250 },
    run: { steps: 2000, batch: 16, warmup: 250 },
    hidden: [32, 32],
    learningRate: 3e-3,
    shared: { copies: 8, drawn: 64, capacity: 50_000, averaging: 0.99, gamma: 0.97 },
    weighing: { beta: 0.4, rate: 0.2 },
  },
  pendulum: {
    id: 'control/pendulum',
    behavior: { steps: 1000, batch: 4, warmup: 100 },
    run: { steps: 3000, batch: 4, warmup: 1000 },
    hidden: [64, 64],
    learningRate: 2e-3,
    shared: { copies: 4, drawn: 128, capacity: 10_000, averaging: 0.98, gamma: 0.95 },
    weighing: { beta: 4, rate: 0.05 },
  },
};

const EVALUATIONS = 20;
const acting = (
  { id, hidden, learningRate, shared }: World,
  seed: number,
  { batch, steps, params }: { readonly batch: number; readonly steps: number; readonly params: object },
) => ({
  method: { id: 'sac-replay', params: { ...shared, ...params } },
  models: { policy: { kind: 'network', hidden } },
  task: { kind: 'control', id },
  optimizer: { learningRate },
  budget: { steps, batch },
  evaluation: { problems: 50, every: steps / EVALUATIONS },
  seed,
});

/** The first half of the updates learns from logged steps alone. */
const controlNodes = (name: keyof typeof worlds, seed: number) => {
  const world = worlds[name];
  const { behavior, run, weighing } = world;
  const logged = {
    id: `logged-${name}`,
    spec: acting(world, 10 * seed, {
      ...behavior,
      params: { replay: 'uniform', warmup: behavior.warmup },
    }),
  };
  const learners = Object.entries(rules).map(([rule, replay]) => {
    const params = { ...replay, ...weighing, warmup: run.warmup, logged: 0.5, offline: run.steps / 2 };
    const spec = acting(world, 10 * seed + 1, { ...run, params });
    const data = { behavior: { kind: 'checkpoint', checkpointId: { node: logged.id } } };
    return { id: `${name}-${rule}`, spec: { ...spec, models: { ...spec.models, ...data } } };
  });
  return [logged, ...learners];
};

/** Earlier answers are at most so many batches old. */
const ages = [1, 4, 16] as const;
const answering = {
  roer: {},
  unweighted: { rate: 0, correct: 'none' },
  truncated: { rate: 0 },
} as const;
const copying = { kind: 'world', id: 'toy/copy', params: { letters: 6, length: 4 } } as const;
const sampling = { maxTokens: 6 };
const old = (age: number): string => `stale${String(age).padStart(2, '0')}`;

/** Three earlier answers for each fresh one, from the same start. */
const languageNodes = (seed: number) => [
  {
    id: 'base',
    spec: {
      ...imitation(30),
      models: smallPolicy(24),
      task: copying,
      sampling,
      evaluation: unmeasured,
      seed,
    },
  },
  ...ages.flatMap((age) =>
    Object.entries(answering).map(([side, params]) => ({
      id: `${old(age)}-${side}`,
      spec: {
        method: {
          id: 'roer',
          params: { groupSize: 8, share: 3, capacity: 4096, maxAge: age + 1, ...params },
        },
        task: copying,
        models: from('base'),
        rewards: [{ id: 'verifier' }],
        optimizer: { learningRate: 2e-3 },
        budget: { steps: 80, batch: 4 },
        sampling,
        evaluation: { problems: 100, samples: 4, every: 20 },
        seed: seed + 100,
      },
    })),
  ),
];

const controlClaims = (name: keyof typeof worlds): Claim[] =>
  (['uniform', 'prioritized'] as const).map((baseline) => ({
    claim: `${name}, from logged steps: a higher return than ${baseline} replay`,
    method: `${name}-roer`,
    baseline: `${name}-${baseline}`,
    measure: `mean return of ${EVALUATIONS} evaluations, the first half of which on logged steps alone`,
    better: 'higher',
    number: async (runs) => mean(await runs.metric('eval/return')),
    // steps in the world in place of tokens
    spent: async () => {
      const { steps, batch, warmup } = worlds[name].run;
      return { tokens: batch * (warmup + steps / 2), updates: steps };
    },
  }));

const languageClaims = (age: number): Claim[] =>
  (['unweighted', 'truncated'] as const).map((baseline) => ({
    claim: `answers up to ${age} batches old: a higher reward than with ${baseline} weights`,
    method: `${old(age)}-roer`,
    baseline: `${old(age)}-${baseline}`,
    measure: 'gold reward of held-out answers, the mean of four evaluations',
    better: 'higher',
    number: async (runs) => mean((await runs.evaluations()).map(({ gold }) => gold)),
  }));

/** Replay by the weights of regularized RL: stored steps of control worlds, and stale answers of a policy. */
export const roer: TenSystem = {
  id: 'roer',
  cites: 'arXiv:2407.03995',
  plan: (seed) => ({
    nodes: [...controlNodes('maze', seed), ...controlNodes('pendulum', seed), ...languageNodes(seed)],
  }),
  claims: [...controlClaims('maze'), ...controlClaims('pendulum'), ...ages.flatMap(languageClaims)],
};
