import { add, mul, scalar, where, type Expr } from '../tensor/index.ts';

/**
 * One tensor times a scalar. The scalar stays apart, so that clipping, bias correction and the learning rate
 * cost no pass over the tensor.
 */
export interface Term {
  readonly x: Expr;
  readonly by: Expr;
}

/** What would be added to one parameter: a sum of terms. */
export type Update = readonly Term[];

export interface Context {
  readonly params: readonly Expr[];
  /** Which parameters weight decay pulls to 0. */
  readonly decays: readonly boolean[];
  /** The state of this transform: one list per slot, in the order of the parameters. */
  readonly slots: Readonly<Record<string, readonly Expr[]>>;
  /** Number of this update, 1 at first; float32 scalar. */
  readonly step: Expr;
  /** float32 scalar, fed at each run. */
  readonly learningRate: Expr;
  /**
   * bool scalar: false when this step must leave no trace. Then gradients are 0, and state must come back as
   * it was.
   */
  readonly ok: Expr;
}

/**
 * A gradient transform in the manner of optax: pure, with named state of the parameters' shapes that starts
 * at zero.
 */
export interface Transform {
  readonly slots: readonly string[];
  apply(
    updates: readonly Update[],
    context: Context,
  ): { readonly updates: readonly Update[]; readonly slots: Readonly<Record<string, readonly Expr[]>> };
}

/** Transforms one after the other. Slot names must differ. */
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

/** The terms added up: one tensor, 0 in a step that is skipped, whose scalars may not be finite. */
export const total = (update: Update, ok: Expr): Expr =>
  update.map(({ x, by }) => mul(x, where(ok, by, 0))).reduce((a, b) => add(a, b));

/**
 * decay·old + x, or `old` in a step that is skipped, where x is 0: only scalars are chosen between, never
 * tensors.
 */
export const decayed = (ok: Expr, old: Expr, decay: number, x: Expr): Expr =>
  add(mul(old, where(ok, scalar(decay), scalar(1))), x);
