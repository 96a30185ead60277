import { add, mul, scalar, where, type Expr } from '../tensor/index.ts';

/**
 * One tensor times a scalar. The scalar is kept separate, so that clipping, bias correction and the learning
 * rate cost no pass over the tensor.
 */
export interface Term {
  readonly x: Expr;
  readonly by: Expr;
}

/** The update of one parameter: a sum of terms. */
export type Update = readonly Term[];

export interface Context {
  readonly params: readonly Expr[];
  /** Which parameters have weight decay. */
  readonly decays: readonly boolean[];
  /** The state of this transform: one list per slot, in the order of the parameters. */
  readonly slots: Readonly<Record<string, readonly Expr[]>>;
  /** Number of this update, from 1; float32 scalar. */
  readonly step: Expr;
  /** float32 scalar, fed at each run. */
  readonly learningRate: Expr;
  /** bool scalar: false if this step is skipped. Then gradients are 0, and state must come back unchanged. */
  readonly ok: Expr;
}

/**
 * A gradient transform in the style of optax: pure, with named state of the parameters' shapes, initially
 * zero.
 */
export interface Transform {
  readonly slots: readonly string[];
  apply(
    updates: readonly Update[],
    context: Context,
  ): { readonly updates: readonly Update[]; readonly slots: Readonly<Record<string, readonly Expr[]>> };
}

/** Applies transforms in order. Slot names must differ. */
export const chain = (...transforms: readonly Transform[]): Transform => ({
  slots: transforms.flatMap(({ slots }) => slots),
  apply(updates, context) {
    let current = updates;
    const slots: Record<string, readonly Expr[]> = {};
    for (const transform of transforms) {
      const made = transform.apply(current, context);
      current = made.updates;
      Object.assign(slots, made.slots);
    }
    return { updates: current, slots };
  },
});

/** Adds the terms up: one tensor, 0 in a skipped step, whose scalars may not be finite. */
export const total = (update: Update, ok: Expr): Expr =>
  update.map(({ x, by }) => mul(x, where(ok, by, 0))).reduce((a, b) => add(a, b));

/** decay·old + x, or `old` in a skipped step, where x is 0: the choice is between scalars, never tensors. */
export const decayed = (ok: Expr, old: Expr, decay: number, x: Expr): Expr =>
  add(mul(old, where(ok, scalar(decay), scalar(1))), x);
