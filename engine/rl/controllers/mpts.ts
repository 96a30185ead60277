import * as z from 'zod';
import { factorize, solveFactorized } from '../../regression/index.ts';
import { hash32 } from '../../random/random.ts';
import type { Problem } from '../kernel/columns.ts';
import { defineController } from '../kernel/control.ts';
import { levelOf, outcomesOf } from './outcomes.ts';

/** Features of a task's description: a constant, and hashed levels, lengths and character pairs. */
const WIDTH = 48;
const Saved = z.object({
  precision: z.array(z.number()).length(WIDTH * WIDTH),
  evidence: z.array(z.number()).length(WIDTH),
  error: z.number().nullable(),
});

/**
 * What is known of a task without trying it, with squares that sum to 4: the identity of the prompt is no part of
 * it, so that risks of tasks that were never tried follow from those of similar ones.
 */
export const describe = ({ prompt, level }: Pick<Problem, 'prompt' | 'level'>): Float64Array => {
  const features = new Float64Array(WIDTH);
  const bucket = (name: string) => 1 + (hash32(name) % (WIDTH - 1));
  features[0] = 1;
  features[bucket(`level ${levelOf({ level } as Problem)}`)] += 1;
  features[bucket(`length ${Math.floor(prompt.length / 2)}`)] += 1;
  const pairs = [...new Set(Array.from({ length: prompt.length - 1 }, (_, at) => prompt.slice(at, at + 2)))];
  for (const pair of pairs) features[bucket(`text ${pair}`)] += 1 / Math.sqrt(pairs.length);
  return features;
};

const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at], 0);

/**
 * The posterior of a risk model with Gaussian latent weights z: risk = z · features + noise. It streams: the posterior
 * of one batch is the prior of the next, moved back towards the first prior by `keep`, since the learner changes.
 */
export class RiskModel {
  readonly #noise: number;
  readonly #keep: number;
  /** Inverse covariance, and inverse covariance × mean. */
  #precision: Float64Array;
  #evidence = new Float64Array(WIDTH);
  #factor: Float64Array | null = null;

  constructor({ noise, keep }: { readonly noise: number; readonly keep: number }) {
    [this.#noise, this.#keep] = [noise, keep];
    this.#precision = identity();
  }

  /** Mean and standard deviation of a task's risk, noise left out. */
  predict(features: Float64Array): { readonly mean: number; readonly deviation: number } {
    this.#factor ??= factorize(this.#precision.slice(), WIDTH);
    const spread = solveFactorized(this.#factor, features);
    return { mean: dot(spread, this.#evidence), deviation: Math.sqrt(Math.max(0, dot(spread, features))) };
  }

  /** A batch of observed risks, each the mean of some answers. */
  learn(
    seen: readonly { readonly features: Float64Array; readonly risk: number; readonly answers: number }[],
  ) {
    const prior = identity();
    this.#precision = this.#precision.map((old, at) => this.#keep * old + (1 - this.#keep) * prior[at]);
    this.#evidence = this.#evidence.map((old) => this.#keep * old);
    for (const { features, risk, answers } of seen) {
      const weight = answers / this.#noise ** 2;
      for (let i = 0; i < WIDTH; i++) {
        if (features[i] === 0) continue;
        this.#evidence[i] += weight * features[i] * risk;
        for (let j = 0; j < WIDTH; j++) this.#precision[i * WIDTH + j] += weight * features[i] * features[j];
      }
    }
    this.#factor = null;
  }

  state() {
    return { precision: [...this.#precision], evidence: [...this.#evidence] };
  }

  restore({ precision, evidence }: { readonly precision: number[]; readonly evidence: number[] }): void {
    [this.#precision, this.#evidence] = [Float64Array.from(precision), Float64Array.from(evidence)];
    this.#factor = null;
  }
}

/** Precision of the first prior: weights of deviation ½. */
const identity = (): Float64Array =>
  Float64Array.from({ length: WIDTH * WIDTH }, (_, at) => (at % (WIDTH + 1) === 0 ? 4 : 0));

/**
 * Model predictive task sampling (Wang et al. 2025, arXiv:2501.11039): a generative model with latent variables
 * predicts the risk (1 − success) of candidate tasks from their description and the risks seen so far, and those of
 * the highest upper confidence bound, mean + optimism × deviation, are learned. The paper trains the model
 * variationally; here it is linear in its latent variables, so that the posterior is exact. Candidates whose
 * mean is above `most` are taken last: of tasks that no answer solves a group learns nothing.
 */
export const mpts = defineController({
  id: 'mpts',
  title: 'Model predictive task sampling',
  summary:
    'Predicts how hard tasks are that were never tried, with its uncertainty, and selects those of the highest upper ' +
    'bound.',
  cites: 'arXiv:2501.11039',
  params: z.strictObject({
    optimism: z.number().min(0).max(10).default(1).describe('Weight of the deviation in the bound.'),
    noise: z.number().positive().max(10).default(0.5).describe('Deviation of the risk of one answer.'),
    keep: z
      .number()
      .min(0)
      .max(1)
      .default(0.95)
      .describe('Share of what was learned that is kept from batch to batch.'),
    most: z
      .number()
      .min(0)
      .max(2)
      .default(2)
      .describe('Tasks whose mean risk is above this are selected last; from 1 on hardly any is.'),
  }),
  open: ({ optimism, noise, keep, most }) => {
    const model = new RiskModel({ noise, keep });
    let error: number | null = null;
    return {
      choose: (candidates, batch) =>
        candidates
          .map((problem, at) => {
            const { mean, deviation } = model.predict(describe(problem));
            return { problem, at, bound: mean + optimism * deviation, isLast: Number(mean > most) };
          })
          .sort((a, b) => a.isLast - b.isLast || b.bound - a.bound || a.at - b.at)
          .slice(0, batch)
          .map(({ problem }) => problem),
      observe: (table) => {
        const seen = outcomesOf(table).map(({ problem, success, answers }) => ({
          features: describe(problem),
          risk: 1 - success,
          answers,
        }));
        if (seen.length === 0) return;
        const missed = seen.map(({ features, risk }) => Math.abs(risk - model.predict(features).mean));
        error = missed.reduce((sum, each) => sum + each, 0) / missed.length;
        model.learn(seen);
      },
      metrics: () => ({ ...(error !== null && { prediction_error: error }) }),
      state: () => ({ ...model.state(), error }),
      restore: (saved) => {
        const read = Saved.parse(saved);
        model.restore(read);
        ({ error } = read);
      },
    };
  },
});
