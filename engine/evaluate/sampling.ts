import { WhetstoneError } from '../common/errors.ts';
import { notNegative, ordered, share, whole } from './inputs.ts';

/**
 * Probability that at least one of k answers is right, from n answers of which c are: 1 − C(n−c, k) / C(n,
 * k), unbiased (Chen et al. 2021, eq. 1).
 */
export const passAtK = (n: number, c: number, k: number): number => {
  for (const [count, name] of [
    [n, 'number of answers'],
    [c, 'number of right answers'],
    [k, 'k of pass@k'],
  ] as const)
    whole(count, name, 0);
  if (!(k >= 1 && k <= n && c >= 0 && c <= n))
    throw new WhetstoneError(
      'invalid-input',
      `pass@${k} needs at least ${k} answers (${n} given, ${c} right).`,
    );
  let noneRight = 1;
  for (let i = 0; i < k; i++) noneRight *= Math.max(0, n - c - i) / (n - i);
  return 1 - noneRight;
};

/**
 * Probability that the majority of n independent votes is right if each is right with probability p; a tie
 * counts one half.
 */
export const majorityVote = (n: number, p: number): number => {
  whole(n, 'number of votes', 1);
  share(p, 'chance of a right vote');
  let logChoose = 0; // ln C(n, i)
  let total = 0;
  for (let i = 0; i <= n; i++) {
    const chance =
      p === 0
        ? Number(i === 0)
        : p === 1
          ? Number(i === n)
          : Math.exp(logChoose + i * Math.log(p) + (n - i) * Math.log1p(-p));
    total += 2 * i > n ? chance : 2 * i === n ? chance / 2 : 0;
    logChoose += Math.log(n - i) - Math.log(i + 1);
  }
  return total;
};

/** Expected share of groups of size G whose binary rewards are all equal: p^G + (1 − p)^G. */
export const zeroVarianceShare = (p: number, size: number): number => {
  share(p, 'chance of a right answer');
  whole(size, 'size of a group', 1);
  return p ** size + (1 - p) ** size;
};

/**
 * KL(best of n ‖ base) for continuous rewards: ln n − (n − 1)/n (Stiennon et al. 2020, appendix G.3). Nats.
 */
export const bestOfNKl = (n: number): number => {
  whole(n, 'number of answers', 1);
  return Math.log(n) - (n - 1) / n;
};

const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/**
 * Standard normal distribution function by its Taylor series about 0 (Marsaglia 2004); absolute error below
 * 1e-15.
 */
export const normalCdf = (x: number): number => {
  ordered([x], 'values');
  if (x < -8.3) return 0;
  if (x > 8.3) return 1;
  let term = x;
  let total = x;
  for (let i = 3; Math.abs(term) > 1e-18 * Math.abs(total); i += 2) {
    term *= (x * x) / i;
    total += term;
  }
  return 0.5 + total * density(x);
};

/**
 * E[max of n standard normals] = ∫ x · n·φ(x)·Φ(x)^(n−1) dx, by the trapezoid rule (exponentially accurate on
 * a smooth bell).
 */
export const expectedMaximum = (n: number): number => {
  whole(n, 'number of draws', 1);
  const h = 1 / 64;
  let total = 0;
  for (let i = -12 * 64; i <= 12 * 64; i++) {
    const x = i * h;
    total += x * n * density(x) * normalCdf(x) ** (n - 1);
  }
  return total * h;
};

/**
 * Goodhart's effect in closed form: proxy = gold + noise, gold standard normal; best of n by the proxy.
 * Expected gold and proxy of the pick.
 */
export const goodhart = (n: number, noise = 1): { readonly gold: number; readonly proxy: number } => {
  notNegative([noise], 'deviations of the noise');
  const spread = Math.sqrt(1 + noise * noise);
  return { gold: expectedMaximum(n) / spread, proxy: expectedMaximum(n) * spread };
};
