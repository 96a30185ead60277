/** Stored runs as the engine would leave them: healthy ones, and one with the pathology of each rule. */
import { checkSpec, type StoredAnswer, type StoredCurve, type StoredRun } from '../../engine/index.ts';
import type { PolicyEvaluation, RewardInspection } from '../../engine/schema/evaluation.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';

const steps = 100;

/** Numbers in −1 to 1 that repeat (Park and Miller's generator). */
const noise = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return (2 * state) / 2_147_483_647 - 1;
  };
};

/** A curve of one point a step from 1 on: `of` gives its value, plus noise of a size. */
export const curve = (
  name: string,
  of: (step: number) => number,
  { size = 0, length = steps, seed = 7 }: { size?: number; length?: number; seed?: number } = {},
): StoredCurve => {
  const draw = noise(seed + name.length);
  const at = Float64Array.from({ length }, (_none, i) => i + 1);
  return { name, steps: at, values: at.map((step) => of(step) + size * draw()) };
};

const line = (from: number, to: number) => (step: number) => from + ((to - from) * step) / steps;
const falling = (from: number, to: number) => (step: number) => to + (from - to) * Math.exp(-step / 20);

export const evaluation = (step: number, passAt1: number, more: Partial<PolicyEvaluation> = {}) =>
  ({
    step,
    problems: 200,
    samples: 8,
    passAt1,
    passAt1Interval: [passAt1 - 0.03, passAt1 + 0.03],
    passAtK: [],
    greedy: passAt1,
    kl: 1,
    meanLength: 10,
    truncated: 0,
    gold: passAt1,
    proxy: null,
    ...more,
  }) satisfies PolicyEvaluation;
const inspection = (accuracy: number, more: Partial<RewardInspection> = {}): RewardInspection => ({
  pairs: 400,
  accuracy,
  accuracyInterval: [accuracy - 0.04, accuracy + 0.04],
  ece: 0.05,
  reliability: [],
  lengthCorrelation: 0.1,
  scores: [],
  margins: [],
  slices: [],
  baselines: { longest: 0.55, shortest: 0.45 },
  lengthFit: { intercept: 0, slope: 0 },
  ...more,
});

const result = (kind: 'evaluation' | 'reward-inspection', step: number, value: unknown, attempt = 1) => ({
  kind,
  step,
  attempt,
  value,
});

/** Groups of eight answers to four prompts at four steps; `text` and `scores` say what each is. */
export const answers = (
  scores: (at: number, sample: number) => Record<string, number>,
  { text = (at: number, sample: number) => `answer ${at} ${sample}`, tokens = () => 10 } = {} as {
    text?: (at: number, sample: number) => string;
    tokens?: (at: number, sample: number) => number;
  },
): StoredAnswer[] =>
  [1, 33, 66, 100].flatMap((step, at) =>
    Array.from({ length: 4 }, (_none, prompt) => 4 * at + prompt).flatMap((group) =>
      Array.from({ length: 8 }, (_each, sample) => ({
        step,
        promptId: `prompt-${group}`,
        completion: text(group, sample),
        tokens: tokens(group, sample),
        scores: scores(group, sample),
      })),
    ),
  );

const specOf = (changes: Partial<RunSpecInput> & { readonly method: RunSpecInput['method'] }) =>
  checkSpec({
    models: { policy: { kind: 'new', architecture: {}, tokenizer: { kind: 'bytes' } } },
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps },
    ...changes,
  });
type Method = Parameters<typeof specOf>[0]['method'];

const proxyRewards = [{ id: 'length' }, { id: 'verifier', weight: 0 }];
const run = (
  method: Method,
  curves: readonly StoredCurve[],
  { spec, ...more }: Partial<Omit<StoredRun, 'spec'>> & { spec?: Partial<RunSpecInput> } = {},
): StoredRun => ({
  spec: specOf({ method, ...(spec ?? {}) }),
  curves,
  answers: [],
  results: [],
  start: null,
  trainingRows: null,
  ...more,
});

/** A policy gradient that learns: from 20 % to 85 % right answers. */
const learning: readonly StoredCurve[] = [
  curve('loss', () => 0, { size: 0.01 }),
  curve('grad_norm', () => 0.4, { size: 0.15 }),
  curve('learning_rate', line(4e-4, 1e-5)),
  curve('skipped', () => 0),
  curve('entropy', falling(1.5, 0.3), { size: 0.03 }),
  curve('kl', line(0, 0.08), { size: 0.002 }),
  curve('clip_ratio/low', () => 0.01, { size: 0.005 }),
  curve('clip_ratio/high', () => 0.02, { size: 0.005 }),
  curve('sampling/age', () => 0),
  curve('sampling/logp_difference', () => 2e-6, { size: 1e-6 }),
  curve('reward/verifier', line(0.2, 0.85), { size: 0.04 }),
  curve('reward/mean', line(0.2, 0.85), { size: 0.04 }),
  curve('reward/std', () => 0.4, { size: 0.02 }),
  curve('frac_reward_zero_std', line(0.2, 0.3), { size: 0.05 }),
  curve('completions/mean_length', () => 10, { size: 0.5 }),
  curve('completions/truncated', () => 0.02, { size: 0.02 }),
];
/** The same with other curves in place of those of their names. */
const instead = (...others: readonly StoredCurve[]): readonly StoredCurve[] => [
  ...learning.filter(({ name }) => others.every((each) => each.name !== name)),
  ...others,
];
const half = answers((group, sample) => ({ verifier: Number((group + sample) % 2) }));

const sft = [
  curve('loss', falling(3, 0.6), { size: 0.05 }),
  curve('grad_norm', () => 1, { size: 0.3 }),
  curve('learning_rate', () => 1e-3),
];
const pairs = [
  curve('loss', falling(0.69, 0.3), { size: 0.03 }),
  curve('grad_norm', () => 1, { size: 0.3 }),
  curve('learning_rate', () => 1e-4),
  curve('rewards/margins', line(0, 1), { size: 0.05 }),
  curve('rewards/accuracies', line(0.5, 0.85), { size: 0.05 }),
];
const dpo = [
  ...pairs,
  curve('rewards/chosen', line(0, 0.1), { size: 0.02 }),
  curve('rewards/rejected', line(0, -0.9), { size: 0.02 }),
];

/** Runs without any fault, by what they are. */
export const healthy: Readonly<Record<string, StoredRun>> = {
  GRPO: run({ id: 'grpo' }, learning, {
    answers: half,
    results: [result('evaluation', 50, evaluation(50, 0.5)), result('evaluation', 100, evaluation(100, 0.8))],
    start: evaluation(0, 0.2),
  }),
  'GRPO on a reward model that holds': run(
    { id: 'grpo' },
    [...learning, curve('reward/length', line(0, 1), { size: 0.1 })],
    {
      spec: { rewards: proxyRewards },
      start: evaluation(0, 0.4),
      results: [result('evaluation', 100, evaluation(100, 0.7, { proxy: 1 }))],
    },
  ),
  PPO: run({ id: 'ppo' }, [
    ...instead(curve('policy/loss', () => 0, { size: 0.01 })),
    curve('critic/loss', falling(0.2, 0.08), { size: 0.01 }),
    curve('value/error', falling(0.2, 0.08), { size: 0.01 }),
  ]),
  DPO: run({ id: 'dpo' }, dpo, { spec: { task: { kind: 'labels', labelSetId: 's' } }, trainingRows: 4000 }),
  SFT: run({ id: 'sft' }, [
    ...sft,
    {
      name: 'eval/loss',
      steps: Float64Array.of(20, 40, 60, 80, 100),
      values: Float64Array.of(1.5, 1, 0.8, 0.75, 0.76),
    },
  ]),
  'reward model': run({ id: 'bradley-terry' }, pairs, {
    spec: { task: { kind: 'labels', labelSetId: 's' } },
    results: [result('reward-inspection', 100, inspection(0.85))],
    trainingRows: 4000,
  }),
  'a solved task': run(
    { id: 'grpo' },
    instead(
      curve('reward/verifier', line(0.6, 1)),
      curve('entropy', falling(1, 0.001)),
      curve('frac_reward_zero_std', line(0.3, 1)),
    ),
  ),
};

const trained = { policy: { kind: 'checkpoint', checkpointId: 'base' } } as const;
const labels = { task: { kind: 'labels', labelSetId: 's' } } as const;

/** The pathology of each rule, with the steps between which it must be found to begin. */
export const planted: Readonly<
  Record<string, { readonly run: StoredRun; readonly from: number; readonly to: number }>
> = {
  'not-finite': {
    run: run({ id: 'grpo' }, instead(curve('loss', (step) => (step < 40 ? 0 : Number.NaN)))),
    from: 40,
    to: 40,
  },
  'proxy-over-gold': {
    run: run(
      { id: 'grpo' },
      instead(
        curve('reward/mean', line(0, 5), { size: 0.1 }),
        curve('reward/verifier', (step) => (step < 40 ? 0.3 + step / 100 : 0.7 - (step - 40) / 100), {
          size: 0.03,
        }),
      ),
      { spec: { rewards: proxyRewards } },
    ),
    from: 35,
    to: 55,
  },
  'held-out-falls': {
    run: run({ id: 'grpo' }, learning, {
      results: [
        result('evaluation', 50, evaluation(50, 0.7)),
        result('evaluation', 100, evaluation(100, 0.5)),
      ],
    }),
    from: 50,
    to: 50,
  },
  'loss-rises': {
    run: run({ id: 'sft' }, [
      ...sft.filter(({ name }) => name !== 'loss'),
      curve('loss', (step) => (step < 30 ? 3 : 3 + (step - 30) / 20), { size: 0.05 }),
    ]),
    from: 28,
    to: 40,
  },
  'learning-rate-too-small': {
    run: run({ id: 'grpo' }, instead(curve('learning_rate', () => 1e-9)), {
      spec: { optimizer: { learningRate: 1e-9 } },
    }),
    from: 1,
    to: 1,
  },
  'constant-reward': {
    run: run(
      { id: 'grpo' },
      instead(
        curve('reward/std', () => 0),
        curve('reward/mean', () => 0),
        curve('reward/verifier', () => 0),
      ),
    ),
    from: 1,
    to: 1,
  },
  'blind-reward': {
    run: run({ id: 'grpo' }, learning, {
      spec: { rewards: proxyRewards },
      answers: answers((group, sample) => ({
        verifier: Number((group + sample) % 2),
        length: ((group * 7 + sample * 3) % 5) - 2 * Number((group + sample) % 2),
      })),
    }),
    from: 1,
    to: 1,
  },
  'scorer-errs': {
    run: run({ id: 'grpo' }, [...learning, curve('reward/verifier/failed', (step) => (step < 60 ? 0 : 0.2))]),
    from: 60,
    to: 60,
  },
  'entropy-collapse': {
    run: run(
      { id: 'grpo' },
      instead(
        curve('entropy', (step) => (step < 30 ? 1.2 : 0.01), { size: 0.005 }),
        curve('reward/verifier', () => 0.4, { size: 0.05 }),
      ),
    ),
    from: 30,
    to: 36,
  },
  'kl-run-away': {
    run: run(
      { id: 'grpo' },
      instead(curve('kl', (step) => (step < 50 ? 0.01 : 0.01 + (step - 50) * 0.1), { size: 0.005 })),
      {
        spec: {
          rewards: proxyRewards,
          models: trained,
        },
      },
    ),
    from: 60,
    to: 70,
  },
  'sampler-mismatch': {
    run: run({ id: 'grpo' }, instead(curve('sampling/logp_difference', () => 0.08, { size: 0.01 }))),
    from: 1,
    to: 1,
  },
  'stale-data': {
    run: run(
      { id: 'grpo', params: { epochs: 8 } },
      instead(
        curve('sampling/age', (step) => (step - 1) % 8),
        curve('sampling/logp_difference', (step) => 0.1 * ((step - 1) % 8)),
      ),
    ),
    from: 2,
    to: 10,
  },
  'clip-share': {
    run: run(
      { id: 'grpo' },
      instead(curve('clip_ratio/high', (step) => (step < 50 ? 0.02 : 0.4), { size: 0.01 })),
    ),
    from: 50,
    to: 55,
  },
  'gradient-spikes': {
    run: run({ id: 'grpo' }, instead(curve('grad_norm', (step) => (step === 70 ? 60 : 0.4), { size: 0.15 }))),
    from: 70,
    to: 70,
  },
  'critic-explains-nothing': {
    run: run({ id: 'ppo' }, [...learning, curve('value/error', () => 0.5, { size: 0.02 })]),
    from: 1,
    to: 10,
  },
  'flat-groups': {
    run: run(
      { id: 'grpo' },
      instead(
        curve('frac_reward_zero_std', (step) => (step < 40 ? 0.3 : 0.8), { size: 0.05 }),
        curve('reward/verifier', () => 0.4, { size: 0.03 }),
      ),
      { answers: answers((group) => ({ verifier: group % 2 })) },
    ),
    from: 40,
    to: 46,
  },
  'equal-answers': {
    run: run({ id: 'grpo' }, learning, {
      answers: answers(() => ({ verifier: 0 }), { text: (group) => `the one answer to ${group}` }),
    }),
    from: 33,
    to: 33,
  },
  truncation: {
    run: run(
      { id: 'grpo' },
      instead(
        curve('completions/truncated', (step) => (step < 20 ? 0.05 : 0.6)),
        curve('reward/verifier', () => 0.3, { size: 0.03 }),
      ),
      { spec: { models: trained } },
    ),
    from: 20,
    to: 26,
  },
  'length-drift': {
    run: run(
      { id: 'grpo' },
      instead(
        curve('completions/mean_length', line(10, 30), { size: 0.5 }),
        curve('reward/verifier', () => 0.5, { size: 0.03 }),
      ),
    ),
    from: 25,
    to: 50,
  },
  'length-reward': {
    run: run({ id: 'grpo' }, learning, {
      spec: {
        rewards: [
          { id: 'format', params: {} },
          { id: 'verifier', weight: 0 },
        ],
      },
      answers: answers((group, sample) => ({ verifier: Number((group + sample) % 2), format: 2 * sample }), {
        tokens: (_group, sample) => 10 + sample,
      }),
    }),
    from: 1,
    to: 1,
  },
  'both-logps-fall': {
    run: run(
      { id: 'dpo' },
      [
        ...pairs,
        curve('rewards/chosen', line(0, -2), { size: 0.02 }),
        curve('rewards/rejected', line(0, -4), { size: 0.02 }),
      ],
      { spec: labels },
    ),
    from: 70,
    to: 80,
  },
  overfit: {
    run: run({ id: 'sft' }, [
      ...sft,
      {
        name: 'eval/loss',
        steps: Float64Array.of(20, 40, 60, 80, 100),
        values: Float64Array.of(1.5, 0.9, 1.1, 1.4, 1.8),
      },
    ]),
    from: 40,
    to: 40,
  },
  'chance-on-pairs': {
    run: run({ id: 'bradley-terry' }, pairs, {
      spec: labels,
      results: [result('reward-inspection', 100, inspection(0.51))],
    }),
    from: 100,
    to: 100,
  },
  'data-exhausted': {
    run: run({ id: 'dpo' }, dpo, { spec: { ...labels, budget: { steps, batch: 32 } }, trainingRows: 100 }),
    from: 45,
    to: 55,
  },
};
