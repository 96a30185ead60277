/** Predicts success from a prompt's text: logistic regression, trained online. */
import * as z from 'zod';
import { hash32 } from '../../random/random.ts';
import type { Problem } from '../kernel/columns.ts';
import { levelOf } from './outcomes.ts';

/** Hash buckets of text features. */
const BUCKETS = 512;
const NGRAM = 3;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
export const logit = (p: number): number => Math.log(p / (1 - p));

const hashes = new Map<string, number>();
const bucketOf = (name: string): number => {
  const known = hashes.get(name);
  if (known !== undefined) return known;
  if (hashes.size > 100_000) hashes.clear();
  const bucket = hash32(name) % BUCKETS;
  hashes.set(name, bucket);
  return bucket;
};

/**
 * Buckets of a problem, with weights whose squares sum to 3: a third each for its level, its identity, and
 * its character n-grams together.
 */
const featuresOf = (problem: Problem): readonly (readonly [bucket: number, value: number])[] => {
  const { prompt, promptId } = problem;
  const runs = [
    ...new Set(
      Array.from({ length: Math.max(1, prompt.length - NGRAM + 1) }, (_, at) => prompt.slice(at, at + NGRAM)),
    ),
  ];
  return [
    [bucketOf(`level ${levelOf(problem)}`), 1],
    [bucketOf(`prompt ${promptId}`), 1],
    ...runs.map((run) => [bucketOf(`text ${run}`), 1 / Math.sqrt(runs.length)] as const),
  ];
};

const Saved = z.object({ weights: z.array(z.number()), shown: z.number() });

/**
 * P(success | prompt, hint share) = σ(w · features + slope · share), by gradient steps on the log-loss of
 * each group's success.
 */
export class Prediction {
  readonly #rate: number;
  readonly #leastSlope: number;
  #weights = new Float64Array(BUCKETS);
  #slope: number;

  /**
   * `slope`: initial increase of the log-odds from no hint to the full answer; it never falls below a
   * quarter of it.
   */
  constructor({ rate, slope = 0 }: { readonly rate: number; readonly slope?: number }) {
    this.#rate = rate;
    this.#slope = slope;
    this.#leastSlope = slope / 4;
  }

  /** Log-odds of success without a hint. */
  odds(problem: Problem): number {
    return featuresOf(problem).reduce((sum, [bucket, value]) => sum + this.#weights[bucket] * value, 0);
  }

  get slope(): number {
    return this.#slope;
  }

  chance(problem: Problem, shown = 0): number {
    return sigmoid(this.odds(problem) + this.#slope * shown);
  }

  learn(problem: Problem, success: number, shown = 0): void {
    const error = success - this.chance(problem, shown);
    for (const [bucket, value] of featuresOf(problem)) this.#weights[bucket] += this.#rate * error * value;
    this.#slope = Math.max(this.#leastSlope, this.#slope + this.#rate * error * shown);
  }

  state(): z.infer<typeof Saved> {
    return { weights: [...this.#weights], shown: this.#slope };
  }

  restore(saved: unknown): void {
    const { weights, shown } = Saved.parse(saved);
    this.#weights = Float64Array.from(weights);
    this.#slope = shown;
  }
}
