import type { PlanPreset } from './preset.ts';
import { policyOf } from './shared.ts';

/** Puzzles of two people with the reasoning of a teacher: at most four cases, one a line. */
const puzzles = {
  kind: 'world',
  id: 'knights',
  params: { levels: 1, heldoutLevels: 0, wrong: 0, rambling: 0 },
} as const;
const target = {
  kind: 'world',
  id: 'graph-colouring',
  params: { levels: 1, heldoutLevels: 0, wrong: 0.3, rambling: 0 },
} as const;
const world = { id: target.id, params: target.params };
const sampling = { maxTokens: 40 };

/** The share of edges whose ends differ, of an answer with a colour for each vertex. */
const rewards = [
  {
    id: 'snippet',
    params: {
      code: [
        '(row) => {',
        '  const edges = (/^colour ([a-l ]+) with/.exec(row.prompt)?.[1] ?? "").split(" ");',
        '  const colours = /#([1-3]+)$/.exec(row.completion)?.[1] ?? "";',
        '  const of = (letter) => colours["abcdefghijkl".indexOf(letter)];',
        '  if (colours.length !== new Set(edges.join("")).size) return 0;',
        '  return edges.filter(([a, b]) => of(a) !== of(b)).length / edges.length;',
        '}',
      ].join('\n'),
    },
  },
];

/** A few demonstrations of the target, then reinforcement on the same hundred problems. */
const side = (id: string, node: object) => [
  {
    id: `${id}-format`,
    spec: {
      method: { id: 'sft' },
      ...node,
      task: target,
      sampling,
      budget: { steps: 80, batch: 16 },
      evaluation: { problems: 60, samples: 4 },
    },
  },
  {
    id,
    spec: {
      method: { id: 'grpo', params: { groupSize: 4 } },
      ...policyOf(`${id}-format`),
      task: { kind: 'dataset', datasetId: { node: 'hundred' }, heldout: 0 },
      rewards,
      sampling,
      optimizer: { learningRate: 1e-3 },
      budget: { steps: 25, batch: 8 },
      evaluation: { problems: 60, samples: 4, world },
    },
  },
];
const fresh = {
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 32, layers: 1, heads: 2, context: 96 },
      tokenizer: { kind: 'bytes' },
    },
  },
} as const;

/** Shrestha et al. 2025, arXiv:2505.13718. */
export const warmUp: PlanPreset = {
  id: 'knights-and-knaves-warm-up',
  title: 'Warm-up on logic puzzles',
  summary:
    'First the reasoning of a teacher on Knights and Knaves, then reinforcement on a hundred problems of another task, ' +
    'colouring graphs. “direct” leaves the puzzles out.',
  plan: {
    name: 'Warm-up on logic puzzles',
    summary:
      'arXiv:2505.13718: distilled reasoning on puzzles, then few target problems with a verified reward.',
    nodes: [
      {
        id: 'puzzles',
        spec: {
          method: { id: 'sft' },
          ...fresh,
          task: puzzles,
          sampling,
          budget: { steps: 300, batch: 16 },
          evaluation: { problems: 60, samples: 4 },
        },
      },
      {
        id: 'asked',
        spec: {
          method: { id: 'sample', params: { groupSize: 1 } },
          ...policyOf('puzzles'),
          task: target,
          sampling,
          rewards: [{ id: 'verifier' }],
          budget: { steps: 10, batch: 10 },
          evaluation: { problems: 0 },
        },
      },
      { id: 'hundred', answers: 'asked', operators: [{ id: 'first' }] },
      ...side('warm', policyOf('puzzles')),
      ...side('direct', fresh),
    ],
  },
};
