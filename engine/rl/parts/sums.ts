import { cast, mul, sub, sum, type Expr } from '../../tensor/index.ts';

/** Σ weight · value over everything: how every loss and metric here becomes one number. */
export const dot = (weights: Expr, values: Expr): Expr => sum(mul(weights, values));

/** 1 where a condition holds and 0 elsewhere, to be weighted into a share. */
export const share = (condition: Expr): Expr => cast(condition, 'float32');

/**
 * a − b where the mask holds a token, and 0 elsewhere: what goes into `exp`. Of a prompt, two models (or one
 * at a low temperature) may differ by more nats than float32 has exponents, and a weight of 0 makes NaN of an
 * infinity.
 */
export const apart = (mask: Expr, a: Expr, b: Expr): Expr => mul(mask, sub(a, b));
