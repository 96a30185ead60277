import type { Series } from '../../preload/contract/runs.ts';
import { sampleBlock } from '../report/compare.ts';
import { findingBlocks } from '../report/findings.ts';
import { digits } from '../report/index.ts';
import type { Block, Cell, Section } from '../report/input.ts';
import { policyTable } from '../report/policies.ts';
import type { Workbench } from '../services/workbench.ts';
import { passAt, type Loop, type Policy, type RewardModel } from './loop.ts';
import type { PreferenceEvaluation } from '../../engine/schema/evaluation.ts';
import { sizes } from './plan.ts';

/** The demo's report: results, explanations and limits. */
export async function demoSections(bench: Workbench, loop: Loop): Promise<Section[]> {
  const all = [loop.base, ...loop.policies];
  return [
    {
      title: 'Results',
      blocks: [
        ...demoFindings(loop).map((text): Block => ({ kind: 'finding', text })),
        policyTable(
          ['Policy'],
          all.map(({ name, evaluation }, colour) => ({ lead: [{ text: name, colour }], evaluation, colour })),
        ),
        {
          kind: 'text',
          text:
            'KL is to the base. Proxy is the reward that the run learned from; if it learned from none or ' +
            'from the verifier, it is the reward model.',
        },
      ],
    },
    { title: 'The reward model, before it is used', blocks: inspection(loop) },
    { title: 'Proxy against gold', blocks: await overOptimisation(bench, loop) },
    { title: 'Training', blocks: [await curves(bench, loop)] },
    {
      title: 'Run doctor',
      blocks: await findingBlocks(
        bench.api,
        [...all, loop.rewardModel].map(({ run }) => run),
      ),
    },
    {
      title: 'Samples side by side',
      blocks: [
        await sampleBlock(
          bench.api,
          all.map((p) => p.run.id),
          all.map((p) => p.name),
        ),
      ],
    },
    {
      title: 'Configuration',
      blocks: [
        recipe(),
        ...all.map((p) => ({
          kind: 'json' as const,
          title: `Specification of ${p.name}`,
          value: p.run.spec,
        })),
      ],
    },
  ];
}

const named = (loop: Loop, name: string): Policy => loop.policies.find((p) => p.name === name) ?? loop.base;

/** What the policies gained and lost, in sentences. */
export function demoFindings(loop: Loop): string[] {
  const verifier = named(loop, 'grpo-verifier').evaluation;
  const control = named(loop, 'sft-continued').evaluation;
  const hacked = named(loop, 'grpo-reward-model').evaluation;
  const remedied = named(loop, 'grpo-remedied').evaluation;
  const base = loop.base.evaluation;
  const gain = verifier.passAt1 - base.passAt1;
  return [
    `GRPO with the verifier: pass@1 ${digits(verifier.passAt1)} against ${digits(base.passAt1)} for the ` +
      `base (${signed(gain)}) and ${digits(control.passAt1)} for the control, which continued supervised training for ` +
      `the same compute (${signed(verifier.passAt1 - control.passAt1)}).`,
    verifier.passAt1 > base.greedy
      ? `It exceeds the base's own greedy score, ${digits(base.greedy)}.`
      : `It does not exceed the base's own greedy score, ${digits(base.greedy)}: the gain is the removal ` +
        `of imitated errors, not new skill. pass@${sizes.evaluation.samples} went from ` +
        `${digits(passAt(base, sizes.evaluation.samples))} to ` +
        `${digits(passAt(verifier, sizes.evaluation.samples))}.`,
    `GRPO with the reward model: its own reward ended at ${digits(hacked.proxy, 2)}, where the ` +
      `control's answers earn ${digits(control.proxy, 2)}, while the share of right answers went from ` +
      `${digits(base.gold)} to ${digits(hacked.gold)}. ` +
      `${hacked.gold < base.gold ? 'That is over-optimisation.' : 'There was no over-optimisation at this pressure.'}`,
    'The same with a remedy (the implicit reward of DPO on labels that differ in correctness, so that ' +
      `length alone earns nothing, and KL weight ${sizes.remedied.klWeight} in place of ` +
      `${sizes.grpo.klWeight}): ${digits(remedied.gold)} right, ` +
      `${remedied.gold >= base.gold ? 'not below' : 'below'} the base.`,
  ];
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${digits(Math.abs(value))}`;

function inspection({ rewardModel, implicitReward }: Loop): Block[] {
  return [
    lengthFinding(rewardModel),
    accuracyTable(rewardModel, implicitReward),
    {
      kind: 'text',
      text:
        `ECE ${digits(rewardModel.inspection.ece)}. The reward model's accuracy by kind of pair; slices ` +
        `overlap. Labels carry ${sizes.labelNoise * 100} % noise, so no scorer is expected to exceed ` +
        `${digits(1 - sizes.labelNoise)}.`,
    },
    slices(rewardModel),
    reliability(rewardModel),
  ];
}

const lengthFinding = ({ inspection: i }: RewardModel): Block => ({
  kind: 'finding',
  text:
    `Score and answer length correlate at ${digits(i.lengthCorrelation, 2)}: ` +
    `${
      Math.abs(i.lengthCorrelation) > 0.5
        ? 'much of what it learned is length, so a policy that maximises it will learn to be short or ' +
          'long before it learns to be right.'
        : 'length explains little of it.'
    }`,
});

/** Accuracy of the reward model and of DPO's implicit reward on held-out pairs. */
function accuracyTable({ inspection: i }: RewardModel, implicitReward: PreferenceEvaluation): Block {
  const differing = i.slices.find((s) => s.name === 'differ in correctness');
  return {
    kind: 'table',
    columns: [
      { title: 'Scorer' },
      { title: 'Held-out pairs' },
      { title: 'n' },
      { title: 'Accuracy' },
      { title: 'Shortest wins' },
    ],
    rows: [
      [
        'reward model',
        'all',
        String(i.pairs),
        { value: i.accuracy, interval: i.accuracyInterval, range: [0.4, 1] },
        digits(i.baselines.shortest),
      ],
      ...(differing
        ? [
            [
              'reward model',
              'differ in correctness',
              String(differing.n),
              { value: differing.accuracy, interval: differing.interval, range: [0.4, 1] as const },
              '–',
            ],
          ]
        : []),
      [
        'implicit reward of DPO',
        'differ in correctness',
        String(implicitReward.pairs),
        { value: implicitReward.accuracy, interval: implicitReward.accuracyInterval, range: [0.4, 1] },
        digits(implicitReward.baselines.shortest),
      ],
    ],
  };
}

const slices = ({ inspection }: RewardModel): Block => ({
  kind: 'table',
  columns: [{ title: 'Pairs' }, { title: 'n' }, { title: 'Accuracy' }],
  rows: inspection.slices.map((s): Cell[] => [
    s.name,
    String(s.n),
    { value: s.accuracy, interval: s.interval, range: [0, 1] },
  ]),
});

const reliability = ({ inspection }: RewardModel): Block => ({
  kind: 'chart',
  title: 'Reliability',
  x: 'Confidence in the preferred answer',
  y: 'Share of labels that agree',
  xRange: [0.5, 1],
  yRange: [0, 1],
  series: [
    {
      name: 'reward model',
      colour: 0,
      points: inspection.reliability
        .filter((b) => b.n > 0)
        .map((b): [number, number] => [b.confidence, b.accuracy]),
    },
    {
      name: 'calibrated',
      colour: 7,
      dashed: true,
      points: [
        [0.5, 0.5],
        [1, 1],
      ],
    },
  ],
});

async function overOptimisation({ api }: Workbench, loop: Loop): Promise<Block[]> {
  const runs = ['grpo-reward-model', 'grpo-remedied', 'grpo-verifier'].map((name) => named(loop, name));
  const series = await api.runs.metrics({
    runIds: runs.map((p) => p.run.id),
    names: ['kl', 'reward/verifier', 'reward/mean'],
    from: 0,
    to: null,
    points: 2000,
  });
  const of = (p: Policy, metric: string): Series | undefined =>
    series.find((s) => s.runId === p.run.id && s.name === metric);
  const colour = (p: Policy): number => loop.policies.indexOf(p) + 1;
  const over = (p: Policy, metric: string): [number, number][] => {
    const [kl, y] = [of(p, 'kl'), of(p, metric)];
    if (!kl || !y) return [];
    const at = new Map([...kl.steps].map((step, i) => [step, kl.values[i]]));
    const points = [...y.steps].map((step, i): [number, number] => [
      Math.sqrt(Math.max(0, at.get(step) ?? NaN)),
      y.values[i],
    ]);
    return bucketed(
      points.filter(([x]) => Number.isFinite(x)),
      16,
    );
  };
  return [
    {
      kind: 'text',
      text:
        'Each point is the mean of training rollouts at nearly the same distance from the base. Gold is ' +
        'the exact verifier; a run that learns from the reward model never sees it.',
    },
    {
      kind: 'chart',
      title: 'Gold: share of right answers',
      x: '√KL to the base, per token',
      y: 'right',
      yRange: [0, 1],
      series: runs.map((p) => ({ name: p.name, colour: colour(p), points: over(p, 'reward/verifier') })),
    },
    {
      kind: 'chart',
      title: 'Proxy: reward-model score',
      x: '√KL to the base, per token',
      y: 'score',
      series: [{ name: runs[0].name, colour: colour(runs[0]), points: over(runs[0], 'reward/mean') }],
    },
    {
      kind: 'chart',
      title: 'Proxy of the remedied run: implicit reward',
      x: '√KL to the base, per token',
      y: 'reward',
      series: [{ name: runs[1].name, colour: colour(runs[1]), points: over(runs[1], 'reward/mean') }],
    },
  ];
}

/** Means of points in equal-count buckets along x, in order of x. */
function bucketed(points: readonly [number, number][], count: number): [number, number][] {
  const sorted = points.toSorted((a, b) => a[0] - b[0]);
  const size = Math.max(1, Math.ceil(sorted.length / count));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  return Array.from({ length: Math.ceil(sorted.length / size) }, (_, i) =>
    sorted.slice(i * size, (i + 1) * size),
  ).map((bucket): [number, number] => [mean(bucket.map(([x]) => x)), mean(bucket.map(([, y]) => y))]);
}

async function curves({ api }: Workbench, loop: Loop): Promise<Block> {
  const runs = loop.policies.filter((p) => p.name.startsWith('grpo'));
  const series = await api.runs.metrics({
    runIds: runs.map((p) => p.run.id),
    names: ['reward/verifier'],
    from: 0,
    to: null,
    points: 2000,
  });
  return {
    kind: 'chart',
    title: 'Right answers among training rollouts',
    x: 'step',
    y: 'right',
    yRange: [0, 1],
    series: runs.flatMap((p) =>
      series
        .filter((s) => s.runId === p.run.id)
        .map((s) => ({
          name: p.name,
          colour: loop.policies.indexOf(p) + 1,
          points: [...s.steps].map((x, i): [number, number] => [x, s.values[i]]),
        })),
    ),
  };
}

const recipe = (): Block => ({
  kind: 'text',
  text:
    'World: arithmetic with worked steps; 28 % of the demonstrations carry a wrong step forward, 8 % ' +
    `ramble. Base: ${sizes.base.steps} steps of ${sizes.base.batch}. Pairs: ${sizes.pairs.prompts} ` +
    `prompts × ${sizes.pairs.samples} answers. Labeler: right over wrong, else shorter, ` +
    `${sizes.labelNoise * 100} % flipped. GRPO: ${sizes.grpo.steps} steps of ${sizes.grpo.batch} × ` +
    `${sizes.grpo.group}. Evaluation: ${sizes.evaluation.problems} unseen problems × ` +
    `${sizes.evaluation.samples} answers at temperature 1.`,
});
