import { laneBehaviours } from '../../../engine/index.ts';
import type { PlanPreset } from './preset.ts';

/** Behaviours that have a policy of their own; every run is measured by both. */
const behaviours = laneBehaviours.filter(({ name }) => ['weave', 'merge late'].includes(name));

/** A policy on the road; the chart `own` adds to the world's reward, the other only measures. */
const driver = (id: string, own?: string) => ({
  id,
  spec: {
    // with `value`, trained policies completed their charts and then waited for the end of the episode
    method: { id: 'control-ppo', params: { copies: 8, atLimit: 'nothing' } },
    models: { policy: { kind: 'network', hidden: [64, 64] } },
    task: {
      kind: 'control',
      id: 'control/lane-grid',
      charts: behaviours.map((chart) => ({ chart, weight: chart.name === own ? 1 : 0 })),
    },
    optimizer: { learningRate: 2.5e-3 },
    budget: { steps: 1600, batch: 512 },
    evaluation: { problems: 200, every: 400 },
    seed: 1,
  },
});

/** Nguyen et al. 2024, arXiv:2406.04300, in about a minute. */
export const behaviourCharts: PlanPreset = {
  id: 'behaviours',
  title: 'Behaviours: a policy for each, rewarded by its chart (Text-to-Drive)',
  summary:
    'A policy learns to drive by the reward of the road alone, and one for each of two behaviours by its ' +
    'chart as well. Every policy is measured by both charts.',
  sample: {
    title: 'Behaviours',
    about:
      'Policies learn to drive as charts describe it, beside the reward of the road. Their Results say how ' +
      'often they do; charts are edited, checked and replayed. About a minute.',
  },
  plan: {
    name: 'Behaviours',
    summary:
      'arXiv:2406.04300: behaviours as charts that reward their order, against the reward of the road.',
    nodes: [driver('base'), ...behaviours.map(({ name }) => driver(name.replaceAll(' ', '-'), name))],
  },
};
