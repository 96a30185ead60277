/** Stored runs as the engine would leave them: their parts, and healthy ones. */
import { checkSpec, type StoredAnswer, type StoredCurve, type StoredRun } from '../../engine/index.ts';
import type { PolicyEvaluation, RewardInspection } from '../../engine/schema/evaluation.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';

export const steps = 100;

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

export const line = (from: number, to: number) => (step: number) => from + ((to - from) * step) / steps;
export const falling = (from: number, to: number) => (step: number) =>
  to + (from - to) * Math.exp(-step / 20);

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
export const inspection = (accuracy: number, more: Partial<RewardInspection> = {}): RewardInspection => ({
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

export const result = (
  kind: 'evaluation' | 'reward-inspection',
  step: number,
  value: unknown,
  attempt = 1,
) => ({
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

export const proxyRewards = [{ id: 'length' }, { id: 'verifier', weight: 0 }];
export const run = (
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
export const learning: readonly StoredCurve[] = [
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
export const instead = (...others: readonly StoredCurve[]): readonly StoredCurve[] => [
  ...learning.filter(({ name }) => others.every((each) => each.name !== name)),
  ...others,
];
export const half = answers((group, sample) => ({ verifier: Number((group + sample) % 2) }));

export const sft = [
  curve('loss', falling(3, 0.6), { size: 0.05 }),
  curve('grad_norm', () => 1, { size: 0.3 }),
  curve('learning_rate', () => 1e-3),
];
export const pairs = [
  curve('loss', falling(0.69, 0.3), { size: 0.03 }),
  curve('grad_norm', () => 1, { size: 0.3 }),
  curve('learning_rate', () => 1e-4),
  curve('rewards/margins', line(0, 1), { size: 0.05 }),
  curve('rewards/accuracies', line(0.5, 0.85), { size: 0.05 }),
];
export const dpo = [
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
