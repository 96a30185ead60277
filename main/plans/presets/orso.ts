import type { PlanPreset } from './preset.ts';
import { smallPolicy } from './shared.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 4, length: 3, wrong: 0.9 } } as const;
const sampling = { maxTokens: 5 };
const models = (checkpointId: object) => ({ policy: { kind: 'checkpoint', checkpointId } });

/** Rewards as a person, or a model, might write them: of the wanted text and the answer. The last three mislead. */
const rewards: Readonly<Record<string, string>> = {
  exact: 'wanted === got ? 1 : 0',
  places: '[...wanted].filter((x, at) => x === got[at]).length / Math.max(wanted.length, got.length)',
  prefix: '[...wanted].findIndex((x, at) => x !== got[at]) / wanted.length',
  letters: '[...new Set(wanted)].filter((x) => got.includes(x)).length / wanted.length',
  length: '-Math.abs(wanted.length - got.length)',
  reversed: '[...wanted].reverse().join("") === got ? 1 : 0',
  same: 'got.length > 0 && [...got].every((x) => x === got[0]) ? got.length / 5 : 0',
  last: '[...got].filter((x) => x === wanted[wanted.length - 1]).length',
};

/** Candidate `id` as a run: GRPO on its own reward; the verifier only watches. */
const candidate = (id: string) => ({
  id,
  spec: {
    method: { id: 'grpo' },
    models: models({ node: 'base' }),
    task,
    sampling,
    rewards: [
      {
        id: 'snippet',
        params: {
          code: `(row) => { const [wanted, got] = [row.prompt.slice(0, -1), row.completion]; return ${rewards[id]}; }`,
        },
      },
    ],
    optimizer: { learningRate: 2e-3, schedule: 'constant', warmup: 0 },
    budget: { steps: 10, batch: 8 },
    evaluation: { problems: 48, samples: 4, world: { id: task.id, params: task.params } },
  },
});

/** Nodes of the plan: an arena of these rewards by a rule, from a policy that has begun to learn the task. */
export const arenaOfRewards = (id: string, rule: object, seed = 0) => ({
  id,
  arena: rule,
  candidates: Object.keys(rewards).map((name) => {
    const { spec, ...rest } = candidate(name);
    return { ...rest, spec: { ...spec, seed: seed * 1000 } };
  }),
});
export const learnsALittle = (seed = 0) => ({
  id: 'base',
  spec: {
    method: { id: 'sft' },
    ...smallPolicy(16),
    task,
    sampling,
    optimizer: { learningRate: 1e-2 },
    budget: { steps: 60, batch: 32 },
    evaluation: { problems: 0 },
    seed,
  },
});

/** Zhang et al. 2024, arXiv:2410.13837, Algorithm 1, with D3RB and its regret scaled to the range of pass@1. */
export const regretBalancing = { rule: 'd3rb', confidence: 0.02, regret: 0.1 } as const;

/** Zhang et al. 2024, arXiv:2410.13837. */
export const orso: PlanPreset = {
  id: 'orso',
  title: 'Rewards as arms (ORSO)',
  summary:
    'Eight rewards in code, three of which mislead; each has a learner of its own. D3RB gives the next updates to ' +
    'one of them by pass@1, which no learner sees as its reward.',
  plan: {
    name: 'Rewards as arms',
    summary: 'arXiv:2410.13837: online selection of shaping rewards by a trusted task score.',
    nodes: [learnsALittle(), arenaOfRewards('arena', { ...regretBalancing, pulls: 32 })],
  },
};
