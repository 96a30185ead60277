import { shortSorting } from '../../../preload/wire/arena-plan.ts';
import type { PlanPreset } from './preset.ts';
import { smallPolicy } from './shared.ts';

const task = { kind: 'world', ...shortSorting } as const;
const sampling = { maxTokens: 10 };

/**
 * Rewards as a person, or a model, might write them, of the items in order (`wanted`), as they were given (`given`) and
 * in the answer (`got`). The last three do not help.
 */
export const sortingRewards: Readonly<Record<string, string>> = {
  exact: 'got.join() === wanted.join() ? 1 : 0',
  places: 'wanted.filter((x, at) => x === got[at]).length / Math.max(wanted.length, got.length)',
  order: 'got.slice(1).filter((x, at) => got[at] <= x).length / Math.max(wanted.length, got.length)',
  overlap: 'given.filter((x) => got.includes(x)).length / Math.max(given.length, got.length)',
  length: '-Math.abs(wanted.length - got.length)',
  copy: 'given.filter((x, at) => x === got[at]).length / given.length',
  constant: '1',
  random: '[...row.completion].reduce((sum, x) => (sum * 31 + x.charCodeAt(0)) % 97, 7) / 97',
};

const codeOf = (id: string): string =>
  [
    '(row) => {',
    "  const [wanted, given] = [row.reference.split(' '), row.prompt.slice(5, -1).split(' ')];",
    "  const got = row.completion.trim().slice(1).split(' ');",
    `  return ${sortingRewards[id]};`,
    '}',
  ].join('\n');

/** Updates of one budget. */
export const UPDATES = 10;

/** Where a candidate of an arena begins, and the seed of its prompts. */
interface Beginning {
  readonly seed?: number;
  readonly start?: string;
}

/** Candidate `id` as a run: GRPO on its own reward; the verifier only watches. */
export const candidateOf = (id: string, { seed = 0, start = 'base' }: Beginning = {}) => ({
  id,
  spec: {
    method: { id: 'grpo', params: { klWeight: 0 } },
    models: { policy: { kind: 'checkpoint', checkpointId: { node: start } } },
    task,
    sampling,
    rewards: [{ id: 'snippet', params: { code: codeOf(id) } }],
    optimizer: { learningRate: 1e-3, schedule: 'constant', warmup: 0 },
    budget: { steps: UPDATES, batch: 4 },
    evaluation: { problems: 48, samples: 2, world: { id: task.id, params: task.params } },
    seed,
  },
});

export const learnsALittle = (seed = 0) => ({
  id: 'base',
  spec: {
    method: { id: 'sft' },
    ...smallPolicy(32),
    task,
    sampling,
    optimizer: { learningRate: 1e-2 },
    budget: { steps: 120, batch: 32 },
    evaluation: { problems: 64, samples: 4, world: { id: task.id, params: task.params } },
    seed,
  },
});

/**
 * Zhang et al. 2024, arXiv:2410.13837, Algorithm 1, with D3RB: evaluations taken as exact, and a regret at first of a
 * tenth of the range of pass@1.
 */
export const regretBalancing = { rule: 'd3rb', confidence: 0, regret: 0.1 } as const;

const plan = (pulls: number, candidates: readonly string[]) => ({
  name: 'Reward arena',
  summary: 'arXiv:2410.13837: online selection of shaping rewards by a trusted task score.',
  nodes: [
    learnsALittle(),
    {
      id: 'arena',
      arena: { ...regretBalancing, pulls },
      candidates: candidates.map((id) => candidateOf(id)),
    },
  ],
});

/** Zhang et al. 2024, arXiv:2410.13837. */
export const orso: PlanPreset = {
  id: 'orso',
  title: 'Rewards as arms (ORSO)',
  summary:
    'Eight rewards in code for sorting digits, three of which help; each has a learner of its own. D3RB gives the ' +
    'next updates to one of them by pass@1, which no learner sees as its reward.',
  plan: plan(32, Object.keys(sortingRewards)),
};

/** The same in seconds: four of the rewards, two of which mislead. */
export const rewardArena: PlanPreset = {
  id: 'reward-arena',
  title: 'Reward arena (sample of ORSO)',
  summary: 'Four rewards in code for sorting digits, two of which mislead, in twelve budgets of ten updates.',
  sample: {
    title: 'Reward arena',
    about:
      'Four rewards in code compete for updates; two of them mislead. Pause, pin or add one while it runs. About half a minute.',
  },
  plan: plan(12, ['exact', 'overlap', 'order', 'copy']),
};
