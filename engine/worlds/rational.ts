/** Exact fractions of safe integers, in lowest terms with a positive denominator. */
export interface Rational {
  readonly n: number;
  readonly d: number;
}
export type Division = '+' | '-' | '*' | '/';

const divisor = (a: number, b: number): number => (b === 0 ? Math.abs(a) : divisor(b, a % b));

/** n / d in lowest terms; null if d is 0, or if a product exceeds the safe integers. */
export const rational = (n: number, d = 1): Rational | null => {
  if (d === 0 || !Number.isSafeInteger(n) || !Number.isSafeInteger(d)) return null;
  const by = divisor(n, d) * Math.sign(d);
  return { n: n / by + 0, d: d / by };
};

/** Exact; null for a division by zero. */
export const operate = (op: Division, a: Rational, b: Rational): Rational | null => {
  switch (op) {
    case '+':
      return rational(a.n * b.d + b.n * a.d, a.d * b.d);
    case '-':
      return rational(a.n * b.d - b.n * a.d, a.d * b.d);
    case '*':
      return rational(a.n * b.n, a.d * b.d);
    case '/':
      return rational(a.n * b.d, a.d * b.n);
  }
};

/** `7`, `-3`, `(8/3)`: a fraction in parentheses, so that it can be an operand. */
export const rationalText = ({ n, d }: Rational): string => (d === 1 ? String(n) : `(${n}/${d})`);

/**
 * Inverse of `rationalText`, with at most six digits each; null for anything else, including fractions not
 * in lowest terms.
 */
export const readRational = (text: string): Rational | null => {
  const [, n, d = '1'] = /^\(?(-?\d{1,6})(?:\/(\d{1,6})\))?$/.exec(text) ?? [];
  const value = n === undefined ? null : rational(Number(n), Number(d));
  return value && rationalText(value) === text ? value : null;
};
