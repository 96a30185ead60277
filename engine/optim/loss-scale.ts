/**
 * Dynamic loss scaling (Micikevicius et al., arXiv:1710.03740, section 3.2) for graphs that compute in
 * float16: the loss is multiplied before its gradient is taken, so that small gradients do not vanish, and
 * the update divides by the same number. An overflow halves the scale and skips the step, as the optimizer
 * does for any non-finite gradient; after `patience` good steps it doubles.
 */
import {
  add,
  equal,
  input,
  less,
  maximum,
  minimum,
  mul,
  not,
  scalar,
  where,
  type Expr,
} from '../tensor/index.ts';

export interface LossScaling {
  /** The first scale; 2¹⁶ by default. */
  readonly initial?: number;
  /** Good steps in a row before the scale doubles; 2000 by default. */
  readonly patience?: number;
}

/** Bounds of the scale: powers of two, which multiply floats without rounding. */
const [least, most] = [1, 2 ** 24];

const names = { scale: 'optimizer/lossScale', good: 'optimizer/goodSteps' } as const;
const number = (name: string): Expr => input(name, { dtype: 'float32', shape: [] });

/** The state as inputs of a graph, initially 0: the scale, and the good steps since it last changed. */
export const lossScaleState = (): Record<string, Expr> =>
  Object.fromEntries(Object.values(names).map((name) => [name, number(name)]));

/** The scale of the loss in this step; float32 scalar. A state of 0 means that no step was taken yet. */
export const lossScale = ({ initial = 65_536 }: LossScaling): Expr =>
  where(equal(number(names.scale), 0), initial, number(names.scale));

/** The same scale on the host, from a state's arrays. */
export const lossScaleIn = (
  { initial = 65_536 }: LossScaling,
  state: Readonly<Record<string, Float32Array>>,
): number => state[names.scale][0] || initial;

/** The state after a step; `ok` is false after an overflow. */
export const nextLossScale = (scaling: LossScaling, ok: Expr): Record<string, Expr> => {
  const scale = lossScale(scaling);
  const good = add(number(names.good), 1);
  const doubles = not(less(good, scaling.patience ?? 2000));
  return {
    [names.scale]: where(
      ok,
      where(doubles, minimum(mul(scale, 2), most), scale),
      maximum(mul(scale, 0.5), least),
    ),
    [names.good]: where(ok, where(doubles, scalar(0), good), 0),
  };
};
