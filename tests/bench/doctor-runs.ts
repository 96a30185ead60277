/** Small real runs with one thing wrong with each, for the run doctor. */
import { checkSpec } from '../../engine/index.ts';
import { hashFraction } from '../../engine/random/hash.ts';
import { methods } from '../../engine/rl/methods/index.ts';
import type { RunSpec, RunSpecInput } from '../../engine/schema/run-spec.ts';
import { sanitySpec } from '../support/toy-run.ts';

const baseOf = (id: string): RunSpec => {
  const method = methods.find((each) => each.id === id);
  if (!method) throw new Error(`there is no method ${id}`);
  return sanitySpec(method, 1);
};

interface Changes {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly rate?: number;
  readonly steps?: number;
  readonly batch?: number;
  /** Begins from the trained base policy instead of random weights. */
  readonly fromBase?: boolean;
  readonly spec?: Partial<RunSpecInput>;
}

/** The toy run of a method, with some things changed. */
export const changed = (id: string, changes: Changes = {}): RunSpec => {
  const base = baseOf(id);
  const { params, rate, steps, batch, fromBase, spec } = changes;
  return checkSpec({
    ...base,
    ...(fromBase && { models: { policy: { kind: 'checkpoint', checkpointId: 'base' } } }),
    method: { id, params: { ...base.method.params, ...params } },
    optimizer: { ...base.optimizer, ...(rate !== undefined && { learningRate: rate }) },
    budget: { ...base.budget, ...(steps !== undefined && { steps }), ...(batch !== undefined && { batch }) },
    ...spec,
  });
};

const snippet = (code: string, onError = 'stop') => ({ id: 'snippet', params: { code, onError } });
const verifier = (weight: number) => ({ id: 'verifier', weight });
const often = { every: 20, problems: 60, samples: 8 };

/** By rule: a run that has its pathology. Rules that are not here have only their synthetic one. */
export const pathologies: Readonly<Record<string, () => RunSpec>> = {
  // advantages beyond the largest float32
  'not-finite': () =>
    changed('grpo', {
      steps: 20,
      params: { scaleBy: 'none' },
      spec: { rewards: [snippet('(row) => row.tokens * 1e39')] },
    }),
  'gradient-spikes': () =>
    changed('sft', { spec: { optimizer: { kind: 'sgd', learningRate: 10, clipNorm: 1e6 } } }),
  'proxy-over-gold': () =>
    changed('grpo', {
      fromBase: true,
      params: { klWeight: 0.001 },
      spec: { rewards: [{ id: 'length' }, verifier(0)], sampling: { maxTokens: 12 } },
    }),
  'held-out-falls': () => changed('grpo', { fromBase: true, rate: 0.1, spec: { evaluation: often } }),
  'loss-rises': () => changed('sft', { fromBase: true, rate: 0.3 }),
  'learning-rate-too-small': () => changed('grpo', { rate: 1e-9 }),
  'constant-reward': () =>
    changed('grpo', {
      steps: 30,
      spec: { rewards: [snippet('(row) => row.completion.length > 99 ? 1 : 0')] },
    }),
  'blind-reward': () =>
    changed('grpo', {
      fromBase: true,
      rate: 1e-4,
      steps: 30,
      spec: {
        rewards: [snippet('(row) => row.completion === row.reference ? 0 : 1'), verifier(0)],
        sampling: { temperature: 2, maxTokens: 4 },
      },
    }),
  'scorer-errs': () =>
    changed('grpo', {
      steps: 30,
      spec: {
        rewards: [
          snippet("(row) => { if (row.tokens > 2) throw new Error('too long'); return 1; }", 'score'),
        ],
      },
    }),
  'entropy-collapse': () => changed('grpo', { rate: 0.1, params: { klWeight: 0 } }),
  'kl-run-away': () =>
    changed('grpo', {
      fromBase: true,
      rate: 0.03,
      params: { klWeight: 0.0001 },
      spec: { rewards: [{ id: 'length' }, verifier(0)], sampling: { maxTokens: 12 } },
    }),
  'stale-data': () => changed('grpo', { rate: 0.03, params: { epochs: 16 } }),
  'clip-share': () => changed('grpo', { rate: 0.03, params: { epochs: 16, clip: 0.01 } }),
  'critic-explains-nothing': () => changed('ppo', { rate: 1e-9, steps: 40 }),
  'flat-groups': () => changed('grpo', { rate: 0.1, params: { klWeight: 0 } }),
  'equal-answers': () =>
    changed('grpo', { rate: 1e-5, spec: { sampling: { temperature: 0.02, maxTokens: 4 } } }),
  truncation: () => changed('grpo', { steps: 30, spec: { sampling: { maxTokens: 1 } } }),
  'length-drift': () =>
    changed('grpo', {
      fromBase: true,
      spec: { rewards: [{ id: 'length' }, verifier(0)], sampling: { maxTokens: 12 } },
    }),
  'length-reward': () =>
    changed('grpo', {
      steps: 30,
      rate: 1e-5,
      spec: { rewards: [snippet('(row) => row.tokens + 0.1 * Math.cos(row.completion.length)')] },
    }),
  'both-logps-fall': () => changed('dpo', { rate: 0.03, params: { beta: 0.01 } }),
  overfit: () => changed('sft', { steps: 300, spec: { task: fewTask, evaluation: { every: 25 } } }),
  'chance-on-pairs': () =>
    changed('bradley-terry', { spec: { task: { kind: 'labels', labelSetId: 'coin' } } }),
  'data-exhausted': () => changed('sft', { steps: 300, spec: { task: fewTask } }),
};

/** A dataset of sixteen demonstrations, a quarter of them held out. */
export const fewRows = 12;
const fewTask = { kind: 'dataset', datasetId: 'few', heldout: 0.25 } as const;
export const fewRowsFile = (): string =>
  Array.from({ length: 16 }, (_none, at) => {
    const letters = ['a', 'b', 'c'];
    const text = [0, 1, 2].map((place) => letters[Math.floor(at / 3 ** place) % 3]).join('');
    return JSON.stringify({
      promptId: `p${at}`,
      prompt: `${text}?`,
      // unrelated to the prompt, so that only memory helps
      answer: letters[(at * 7 + (at % 4)) % 3].repeat(1 + (at % 3)),
      reference: null,
      correct: null,
    });
  }).join('\n');

/** Pairs of two strings of which a coin prefers one. */
export const coinFile = (): string =>
  Array.from({ length: 500 }, (_none, at) => {
    const text = (from: number): string =>
      [0, 1, 2].map((place) => 'abc'[Math.floor((at * 7 + from) / 3 ** place) % 3]).join('');
    return JSON.stringify({
      pairId: `pair-${at}`,
      promptId: `p${at}`,
      prompt: `${text(0)}?`,
      a: text(5),
      b: text(11),
      verdict: hashFraction('coin', String(at)) < 0.5 ? 'a' : 'b',
      correctA: null,
      correctB: null,
    });
  }).join('\n');
