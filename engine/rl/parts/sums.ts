import { cast, mul, sum, type Expr } from '../../tensor/index.ts';

/** Σ weight · value over everything: how every loss and metric here becomes one number. */
export const dot = (weights: Expr, values: Expr): Expr => sum(mul(weights, values));

/** 1 where a condition holds and 0 elsewhere, to be weighted into a share. */
export const share = (condition: Expr): Expr => cast(condition, 'float32');
