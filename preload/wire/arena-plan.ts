/** A plan in which rewards in code compete for updates of learners of their own (ORSO, arXiv:2410.13837). */
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ModelSource } from '../../engine/schema/model.ts';
import type { ArenaSpec } from '../../engine/schema/plan.ts';
import type { RewardSpec, RunSpec } from '../../engine/schema/run-spec.ts';
import { smallPolicy } from './small-policy.ts';

/** A task with a verifier: a world, or a dataset with the reward that compares answers with its references. */
export type ArenaTask =
  | {
      readonly kind: 'world';
      readonly world: { readonly id: string; readonly params?: Readonly<Record<string, unknown>> };
      /** Tokens of its longest prompt and answer. */
      readonly longest: { readonly prompt: number; readonly answer: number };
    }
  | { readonly kind: 'dataset'; readonly datasetId: string; readonly verifier: string };

/** A reward that tells right answers, with its parameters. */
export type Verifier = Pick<RewardSpec, 'id'> & Partial<Pick<RewardSpec, 'params'>>;

/** The settings that all candidates share: a run’s specification, or GRPO on a task. */
export type ArenaBase =
  | {
      readonly kind: 'run';
      readonly spec: RunSpec;
      /** The reward that scores answers to a dataset’s prompts; null on a world. */
      readonly verifier: Verifier | null;
    }
  | {
      readonly kind: 'task';
      readonly task: ArenaTask;
      /** A model of the workspace; null: a small one, which imitates the world’s answers first. */
      readonly start: ModelSource | null;
      /** Updates of a new start. */
      readonly learned: number;
      readonly learningRate: number;
      /** Prompts of an update. */
      readonly batch: number;
      /** Longest answer, in tokens. */
      readonly maxTokens: number;
    };

export interface ArenaSettings {
  readonly base: ArenaBase;
  readonly candidates: readonly { readonly id: string; readonly code: string }[];
  /** True: the verifier is a candidate, too. */
  readonly withVerifier: boolean;
  readonly rule: ArenaSpec['rule'];
  /** Budgets in all, and updates of each. */
  readonly budgets: number;
  readonly updates: number;
  /** Held-out problems of each evaluation. */
  readonly problems: number;
  readonly seed: number;
}

/** Sorting of short lists, most of whose answers are wrong at first: an arena of it ends in a minute. */
export const shortSorting = {
  id: 'sorting',
  params: { method: 'none', levels: 1, heldoutLevels: 0, wrong: 0.6, rambling: 0 },
} as const;
/** Tokens of its prompts and answers at most. */
export const shortSortingLongest = { prompt: 11, answer: 7 } as const;

/** The id of the candidate whose reward is the verifier. */
export const VERIFIER = 'verifier';

/** Rewards to begin with, for answers that are compared with a reference. */
export const exampleRewards = [
  { id: 'ending', code: '(row) => (row.completion.trim().endsWith(row.reference ?? "") ? 1 : 0)' },
  {
    id: 'words',
    code: [
      '(row) => {',
      '  const wordsOf = (text) => (text ?? "").match(/[\\w.]+/g) ?? [];',
      '  const [wanted, got] = [wordsOf(row.reference), wordsOf(row.completion)];',
      '  return wanted.filter((word) => got.includes(word)).length / Math.max(1, wanted.length);',
      '}',
    ].join('\n'),
  },
  { id: 'brief', code: '(row) => -row.tokens / 100' },
] as const;

const refuse = (where: string, message: string): never => {
  throw new WhetstoneError('invalid-input', message, { where });
};

/** Problems are answered twice: an interval needs no more, and a budget ends soon. */
const evaluationOf = (problems: number, own: object = {}) => ({ samples: 2, ...own, problems, every: 0 });
const keyOf = ({ id, params = {} }: Verifier): string => JSON.stringify([id, params]);
/** The reward that only watches, before those that an evaluation has: the first one that can judge does so. */
const watchedBy = (verifier: Verifier | null, others: RunSpec['evaluation']['rewards'] = []) =>
  verifier === null
    ? { rewards: others }
    : { rewards: [verifier, ...others.filter((each) => keyOf(each) !== keyOf(verifier))] };

const taskOf = (task: ArenaTask) =>
  task.kind === 'world' ? { kind: 'world', ...task.world } : { kind: 'dataset', datasetId: task.datasetId };

/** A small model that imitates the world’s answers, for rewards to have something to tell apart. */
const startOf = ({ task, learned, maxTokens, start }: Extract<ArenaBase, { kind: 'task' }>) => {
  if (start !== null) return null;
  if (task.kind !== 'world') return refuse('start', 'Choose a model: a new one knows nothing of a dataset.');
  const context = Math.max(32, task.longest.prompt + Math.max(task.longest.answer, maxTokens));
  return {
    id: 'base',
    spec: {
      method: { id: 'sft' },
      ...smallPolicy(context),
      task: taskOf(task),
      sampling: { maxTokens },
      optimizer: { learningRate: 1e-2 },
      budget: { steps: learned, batch: 32 },
      evaluation: evaluationOf(64),
    },
  };
};

/** The specification of every candidate, without its reward. */
function sharedBy({ base, updates, problems, seed }: ArenaSettings): Record<string, unknown> {
  if (base.kind === 'run') {
    const { spec } = base;
    const evaluation = evaluationOf(problems, {
      ...spec.evaluation,
      ...watchedBy(base.verifier, spec.evaluation.rewards),
    });
    return {
      ...spec,
      name: '',
      composer: null,
      // its judges are replaced: a demand on none of them would refuse every budget
      ...(spec.demand && { demand: { probes: [], accuracy: 0 } }),
      // each budget would begin them anew
      optimizer: { ...spec.optimizer, schedule: 'constant', warmup: 0 },
      budget: { ...spec.budget, steps: updates },
      evaluation,
      seed,
    };
  }
  const { task, start, learningRate, batch, maxTokens } = base;
  return {
    method: { id: 'grpo', params: { klWeight: 0 } },
    models: { policy: start ?? { kind: 'checkpoint', checkpointId: { node: 'base' } } },
    task: taskOf(task),
    sampling: { maxTokens },
    optimizer: { learningRate, schedule: 'constant', warmup: 0 },
    budget: { steps: updates, batch },
    evaluation: evaluationOf(problems, watchedBy(task.kind === 'world' ? null : { id: task.verifier })),
    seed,
  };
}

const verifierReward = (base: ArenaBase): Verifier => {
  if (base.kind === 'run') return base.verifier ?? { id: VERIFIER };
  return { id: base.task.kind === 'world' ? VERIFIER : base.task.verifier };
};

/** The plan of an arena. Throws `invalid-input` with the field: candidates, budgets or start. */
export function arenaPlan(settings: ArenaSettings): object {
  const { base, candidates, withVerifier, rule, budgets } = settings;
  const names = [...candidates.map(({ id }) => id), ...(withVerifier ? [VERIFIER] : [])];
  if (names.length < 2) refuse('candidates', 'An arena needs at least two candidates.');
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) refuse('candidates', `Two candidates have the name “${twice}”.`);
  const blank = candidates.find(({ code }) => code.trim() === '');
  if (blank) refuse('candidates', `The reward “${blank.id}” has no code.`);
  if (budgets < names.length)
    refuse('budgets', `Give at least ${names.length} budgets: with fewer, some candidates are never tried.`);
  const shared = sharedBy(settings);
  const start = base.kind === 'task' ? startOf(base) : null;
  return {
    name: 'Reward arena',
    summary: `arXiv:2410.13837: which of ${names.length} rewards is the best to learn by, judged by pass@1.`,
    nodes: [
      ...(start ? [start] : []),
      {
        id: 'arena',
        // evaluations taken as exact, and a regret at first of a tenth of the range, as the shipped plan has
        arena: { rule, pulls: budgets, ...(rule === 'd3rb' && { confidence: 0, regret: 0.1 }) },
        candidates: [
          ...candidates.map(({ id, code }) => ({
            id,
            spec: { ...shared, rewards: [{ id: 'snippet', params: { code } }] },
          })),
          ...(withVerifier ? [{ id: VERIFIER, spec: { ...shared, rewards: [verifierReward(base)] } }] : []),
        ],
      },
    ],
  };
}
