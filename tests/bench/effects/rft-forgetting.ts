import { openWorldById } from '../../../engine/worlds/index.ts';
import type { Effect, SideRuns } from './effect.ts';
import { from, imitation } from './shared.ts';

const sampling = { maxTokens: 20 };
const paramsOf = (items: 'digits' | 'letters') => ({
  items,
  method: 'none',
  levels: 2,
  heldoutLevels: 0,
  wrong: 0,
  rambling: 0,
});
const worldOf = (items: 'digits' | 'letters') => ({ kind: 'world', id: 'sorting', params: paramsOf(items) });
const earlier = { name: 'earlier', world: { id: 'sorting', params: paramsOf('digits') }, problems: 120 };

const demonstrated = (items: 'digits' | 'letters', count: number, seed: number) => {
  const world = openWorldById('sorting', paramsOf(items));
  return Array.from({ length: count }, (_, i) => world.demonstration(i, seed)).map(
    ({ promptId, prompt, answer, reference, correct }) => ({ promptId, prompt, answer, reference, correct }),
  );
};
/** Mostly the earlier task, and enough of the next one that some of its answers are right. */
const mixed = (seed: number) => [
  ...demonstrated('digits', 6000, seed),
  ...demonstrated('letters', 500, seed),
];
/** The next task, in the words of another author: the result once more before the answer. */
const foreign = (seed: number) =>
  demonstrated('letters', 6000, seed + 1000).map((row) => ({
    ...row,
    answer: `${row.reference}\n${row.answer}`,
  }));
const GOAL = 0.5;

/**
 * Accuracy on the earlier task where that on the next one first reaches `GOAL`, interpolated between two
 * evaluations: at the end, for a run that never does.
 */
const retained = async (runs: SideRuns): Promise<number> => {
  const before = (await runs.evaluation('base')).passAt1;
  const next = [before, ...(await runs.evaluations()).map(({ passAt1 }) => passAt1)];
  const start = (await runs.metric('eval/earlier/pass_at_1', 'base')).slice(-1);
  const kept = [...start, ...(await runs.metric('eval/earlier/pass_at_1'))];
  const at = next.findIndex((value) => value >= GOAL);
  if (at < 1) return kept[at < 0 ? kept.length - 1 : 0];
  const share = (GOAL - next[at - 1]) / (next[at] - next[at - 1]);
  return kept[at - 1] + share * (kept[at] - kept[at - 1]);
};

export const rftForgetting: Effect = {
  id: 'rft-forgetting',
  cluster: 13,
  system: 'rft-mitigates-forgetting',
  title:
    'Learning the next task from verified own answers forgets less of the earlier one than imitating another ' +
    'author’s demonstrations (sorting digits, then letters)',
  cites: 'arXiv:2507.05386',
  method: 'grpo without a divergence, on the next task',
  baseline: 'sft on demonstrations of the next task, as many rows a step',
  measure:
    'accuracy on the earlier task where that on the next one first reaches one half, interpolated between ' +
    'evaluations every 20 steps (never: at the end, after 140 steps)',
  better: 'higher',
  note:
    'With demonstrations in the policy’s own words instead (seeds 101 and 102) both sides kept .85 to .93 at the ' +
    'same gain, imitation no less: here it is the foreign style that is forgotten for, not the loss alone.',
  data: (seed) => ({ mixed: mixed(seed), foreign: foreign(seed) }),
  plan: (seed, datasets) => {
    const next = (own: object) => ({
      task: worldOf('letters'),
      models: from('base'),
      sampling,
      evaluation: {
        problems: 120,
        samples: 2,
        every: 20,
        world: { id: 'sorting', params: paramsOf('letters') },
      },
      evaluations: [{ ...earlier, samples: 2 }],
      seed: seed + 100,
      ...own,
    });
    return {
      nodes: [
        {
          id: 'base',
          spec: {
            ...imitation(300),
            models: {
              policy: {
                kind: 'new',
                architecture: { family: 'gpt2', width: 48, layers: 2, heads: 2, context: 48 },
                tokenizer: { kind: 'bytes' },
              },
            },
            task: { kind: 'dataset', datasetId: datasets.mixed, heldout: 0 },
            optimizer: { learningRate: 5e-3, schedule: 'linear' },
            sampling,
            evaluation: { problems: 150, samples: 4, world: { id: 'sorting', params: paramsOf('letters') } },
            evaluations: [{ ...earlier, samples: 4 }],
            seed,
          },
        },
        {
          id: 'method',
          spec: next({
            method: { id: 'grpo', params: { klWeight: 0 } },
            optimizer: { learningRate: 5e-4, schedule: 'constant' },
            budget: { steps: 140, batch: 16 },
          }),
        },
        {
          id: 'baseline',
          spec: next({
            method: { id: 'sft' },
            task: { kind: 'dataset', datasetId: datasets.foreign, heldout: 0 },
            optimizer: { learningRate: 1e-3, schedule: 'constant' },
            budget: { steps: 140, batch: 128 },
          }),
        },
      ],
    };
  },
  number: retained,
};
