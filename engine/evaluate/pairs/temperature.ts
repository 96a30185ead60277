/** Temperature scaling of a reward model's margins. */
import { permutation } from '../../random/random.ts';
import type { TemperatureFit } from '../../schema/inspected-pair.ts';
import { expectedCalibrationError, reliability, sigmoid } from '../calibration.ts';
import { finite, sameLength } from '../inputs.ts';

type Fitted = Pick<TemperatureFit, 'temperature' | 'reason'>;

/** log(1 + exp(−x)) without overflow. */
const loss = (x: number): number => Math.max(0, -x) + Math.log1p(Math.exp(-Math.abs(x)));

/** First and second derivative of Σ log(1 + exp(−s · odds)) by s. */
const slopes = (odds: Float64Array, s: number): { readonly first: number; readonly second: number } => {
  let [first, second] = [0, 0];
  for (const each of odds) {
    const wrong = sigmoid(-s * each);
    first -= each * wrong;
    second += each * each * wrong * (1 - wrong);
  }
  return { first, second };
};

/** Most steps of the search; Newton's method needs about 10. */
const STEPS = 200;

/**
 * The temperature T > 0 that minimizes the negative log-likelihood Σ log(1 + exp(−odds / T)) of pairs (Guo et
 * al. 2017, arXiv:1706.04599, for two classes). `odds` are log-odds that the chosen answer is better: score
 * margins of a Bradley–Terry model. The sum is convex in s = 1 / T, so Newton's method, kept within a bracket
 * by bisection, finds the minimum. Null with a reason where there is none: with no negative odds the sum falls
 * for ever (`separable`), with a mean of 0 or less it is smallest at s ≤ 0 (`no-better-than-chance`).
 */
export const fitTemperature = (odds: ArrayLike<number>): Fitted => {
  finite(odds, 'margins');
  const values = Float64Array.from(odds);
  if (values.length < 2) return { temperature: null, reason: 'too-few' };
  const start = slopes(values, 0);
  if (start.first >= 0) return { temperature: null, reason: 'no-better-than-chance' };
  if (values.every((each) => each >= 0)) return { temperature: null, reason: 'separable' };
  let low = 0;
  let high = -start.first / start.second;
  while (slopes(values, high).first < 0) [low, high] = [high, 2 * high];
  let s = (low + high) / 2;
  for (let step = 0; step < STEPS; step++) {
    const { first, second } = slopes(values, s);
    if (first < 0) low = s;
    else high = s;
    const newton = s - first / second;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    const isDone = Math.abs(next - s) <= 1e-15 * s || next === low || next === high;
    s = next;
    if (isDone) break;
  }
  return { temperature: 1 / s, reason: null };
};

/** ECE of σ(|odds|) in 10 bins of 0.5–1, as in the inspection, and the mean negative log-likelihood. */
const calibrationOf = (odds: ArrayLike<number>): { readonly ece: number; readonly nll: number } => {
  const values = Array.from(odds);
  const bins = reliability(
    values.map((each) => sigmoid(Math.abs(each))),
    values.map((each) => (each > 0 ? 1 : each === 0 ? 0.5 : 0)),
    10,
    [0.5, 1],
  );
  return {
    ece: bins.length > 0 ? expectedCalibrationError(bins) : 0,
    nll: values.reduce((sum, each) => sum + loss(each), 0) / Math.max(1, values.length),
  };
};

/** Number of folds, unless there are fewer prompts. */
const FOLDS = 5;

/**
 * Fits a temperature to pairs with a preferred answer, and judges it on other pairs: prompts are dealt to five
 * folds, and the pairs of each are judged with the T fitted without them. `prompts`: the number of each pair's
 * prompt, from 0. After-values are null if a fold has no T.
 */
export const crossFittedTemperature = (
  odds: ArrayLike<number>,
  prompts: ArrayLike<number>,
  seed = 0,
): TemperatureFit => {
  sameLength(odds, prompts, 'margins and prompts');
  const whole = fitTemperature(odds);
  const known = [...new Set(Array.from(prompts))].sort((a, b) => a - b);
  const order = permutation(known.length, seed, 'temperature folds');
  const folds = Math.min(FOLDS, known.length);
  const foldOf = new Map(known.map((prompt, at) => [prompt, order[at] % folds]));
  const own = Array.from(prompts, (prompt) => foldOf.get(prompt) ?? 0);
  const values = Array.from(odds);
  const fitted = Array.from({ length: folds }, (_none, fold) =>
    folds < 2 ? null : fitTemperature(values.filter((_value, at) => own[at] !== fold)).temperature,
  );
  const before = calibrationOf(values);
  const isWhole = fitted.length > 0 && fitted.every((each) => each !== null);
  const after = isWhole ? calibrationOf(values.map((each, at) => each / (fitted[own[at]] ?? 1))) : null;
  return {
    ...whole,
    folds: fitted,
    pairs: values.length,
    ece: { before: before.ece, after: after?.ece ?? null },
    nll: { before: before.nll, after: after?.nll ?? null },
  };
};
