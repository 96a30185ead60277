/** Stored runs with one pathology each, as the engine would leave them. */
import type { StoredRun } from '../../engine/index.ts';
import {
  answers,
  curve,
  dpo,
  evaluation,
  inspection,
  instead,
  learning,
  line,
  pairs,
  proxyRewards,
  result,
  run,
  sft,
  steps,
} from './healthy-runs.ts';

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
      { answers: answers(() => ({ verifier: 0 })) },
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
  'weights-collapse': {
    run: run({ id: 'roer' }, [
      curve('replay/effective_sample_size', (step) => (step < 50 ? 0.8 : 0.03), { size: 0.01 }),
      curve('replay/age', () => 4, { size: 0.2 }),
      curve('replay/heaviest', (step) => (step < 50 ? 0.02 : 0.6), { size: 0.01 }),
    ]),
    from: 50,
    to: 55,
  },
  'verifier-misleads': {
    run: run({ id: 'tango' }, instead(curve('eval/errors/first_error_f1', line(0.1, 0.4), { size: 0.02 }))),
    from: 40,
    to: 40,
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
