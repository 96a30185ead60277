import {
  add,
  and,
  cast,
  div,
  input,
  isFinite,
  mul,
  not,
  scalar,
  sizeOf,
  where,
  type Expr,
} from '../tensor/index.ts';
import { lossScale, lossScaleState, nextLossScale, type LossScaling } from './loss-scale.ts';
import { scaleByMuon } from './muon.ts';
import { chain, total, type Transform, type Update } from './transform.ts';
import {
  addDecayedWeights,
  clipByGlobalNorm,
  globalNorm,
  momentum,
  one,
  scaleByAdam,
  scaleByLearningRate,
  scaleByLion,
} from './transforms.ts';

/** The numbers of a run's `optimizer` without its schedule, which the host computes (`learningRateAt`). */
export interface OptimizerSettings {
  readonly kind: 'adamw' | 'sgd' | 'lion' | 'muon';
  /** For `sgd`, the decay of the momentum; 0 is plain gradient descent. */
  readonly beta1: number;
  readonly beta2: number;
  /** For `muon`, the decay of the momentum of its matrices; other parameters use AdamW's β. */
  readonly momentum?: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly clipNorm: number;
  /** Set if the graph computes in float16: gradients are then those of the loss times `lossScale`. */
  readonly lossScaling?: LossScaling;
}

/** Properties of a parameter that the optimizer needs; by default it decays and is not a hidden matrix. */
export interface Trait {
  readonly decays: boolean;
  readonly hidden: boolean;
}
const plain: Trait = { decays: true, hidden: false };

const direction = (
  { kind, beta1, beta2, epsilon, momentum: beta = 0.95 }: OptimizerSettings,
  hidden: boolean,
): Transform => {
  if (kind === 'lion') return scaleByLion({ beta1, beta2 });
  if (kind === 'muon' && hidden) return scaleByMuon(beta);
  if (kind === 'sgd') return beta1 === 0 ? chain() : momentum(beta1);
  return scaleByAdam({ beta1, beta2, epsilon });
};

/**
 * State of an optimizer by name: `optimizer/step` and, for each slot and parameter,
 * `optimizer/<slot>/<position>`.
 */
export type State = Readonly<Record<string, Expr>>;
const stepName = 'optimizer/step';
const slotName = (slot: string, at: number): string => `optimizer/${slot}/${at}`;

/** The state as inputs of a graph, initially 0. */
export const optimizerState = (
  settings: OptimizerSettings,
  params: readonly Expr[],
  traits?: readonly Trait[],
): State => ({
  [stepName]: input(stepName, { dtype: 'float32', shape: [] }),
  ...(settings.lossScaling && lossScaleState()),
  ...Object.fromEntries(
    params.flatMap(({ type }, at) =>
      direction(settings, (traits?.[at] ?? plain).hidden).slots.map((slot) => [
        slotName(slot, at),
        input(slotName(slot, at), type),
      ]),
    ),
  ),
});

/** Fresh arrays for a state, all 0. */
export const initialState = (state: State): Record<string, Float32Array> =>
  Object.fromEntries(
    Object.entries(state).map(([name, { type }]) => [name, new Float32Array(sizeOf(type.shape))]),
  );

/**
 * Arrays for a state, all 0, in the layout of checkpoints: one per slot with its parts end to end, and views
 * of them by the names used in a graph.
 */
export const packedState = (
  state: State,
): { readonly arrays: Record<string, Float32Array>; readonly feeds: Record<string, Float32Array> } => {
  const slotOf = (name: string) => name.replace(/\/\d+$/, '');
  const arrays: Record<string, Float32Array> = {};
  const feeds: Record<string, Float32Array> = {};
  for (const [slot, parts] of Map.groupBy(Object.entries(state), ([name]) => slotOf(name))) {
    arrays[slot] = new Float32Array(parts.reduce((sum, [, { type }]) => sum + sizeOf(type.shape), 0));
    let offset = 0;
    for (const [name, { type }] of parts)
      feeds[name] = arrays[slot].subarray(offset, (offset += sizeOf(type.shape)));
  }
  return { arrays, feeds };
};

export interface StepInputs {
  /** float32 scalar, not scaled; a step with a non-finite loss is skipped. */
  readonly loss: Expr;
  readonly params: readonly Expr[];
  readonly traits?: readonly Trait[];
  readonly grads: readonly Expr[];
  readonly state: State;
  /** float32 scalar, usually an input fed from `learningRateAt`. */
  readonly learningRate: Expr;
}

export interface StepResult {
  readonly params: readonly Expr[];
  readonly state: State;
  /**
   * float32 scalars. `skipped` is 1 if loss or gradient was not finite: parameters and state then come back
   * unchanged.
   */
  readonly metrics: { readonly gradNorm: Expr; readonly skipped: Expr };
}

/**
 * One update: clip by global norm, the optimizer's direction, decoupled weight decay, learning rate. Best
 * fed with parts made by `groupsOf`. Every new value depends on the global norm, hence on every gradient:
 * parameters and state may be written in place.
 */
export const optimizerStep = (
  settings: OptimizerSettings,
  { loss, params, traits = params.map(() => plain), grads, state, learningRate }: StepInputs,
): StepResult => {
  const { lossScaling } = settings;
  const unscale = lossScaling ? div(scalar(1), lossScale(lossScaling)) : one();
  const gradNorm = mul(globalNorm(grads), unscale);
  const ok = and(isFinite(loss), isFinite(gradNorm));
  const step = add(state[stepName], 1);
  const updates: Update[] = new Array<Update>(params.length);
  const next: Record<string, Expr> = {
    [stepName]: where(ok, step, state[stepName]),
    ...(lossScaling && nextLossScale(lossScaling, ok)),
  };
  for (const hidden of [false, true]) {
    const members = params.map((_, at) => at).filter((at) => traits[at].hidden === hidden);
    if (members.length === 0) continue;
    const core = direction(settings, hidden);
    const transform = chain(
      clipByGlobalNorm(gradNorm, settings.clipNorm),
      core,
      addDecayedWeights(settings.weightDecay),
      scaleByLearningRate,
    );
    // A non-finite gradient becomes 0 in this one pass; everything after it is finite.
    const clean = members.map((at) => [{ x: where(ok, grads[at], 0), by: unscale }]);
    const slots = Object.fromEntries(
      core.slots.map((slot) => [slot, members.map((at) => state[slotName(slot, at)])]),
    );
    const made = transform.apply(clean, {
      params: members.map((at) => params[at]),
      decays: members.map((at) => traits[at].decays),
      slots,
      step,
      learningRate,
      ok,
    });
    members.forEach((at, i) => {
      updates[at] = made.updates[i];
      for (const slot of core.slots) next[slotName(slot, at)] = made.slots[slot][i];
    });
  }
  return {
    params: params.map((p, at) => applied(p, updates[at], ok)),
    state: Object.fromEntries(Object.keys(state).map((name) => [name, next[name]])),
    metrics: { gradNorm, skipped: cast(not(ok), 'float32') },
  };
};

/**
 * The parameter plus its update. A term of the parameter itself (weight decay) joins its factor 1, in one
 * pass instead of two.
 */
const applied = (param: Expr, update: Update, ok: Expr): Expr => {
  const own = update.filter(({ x }) => x === param);
  const others = update.filter(({ x }) => x !== param);
  const factor = own.reduce((sum, { by }) => add(sum, where(ok, by, 0)), scalar(1));
  return add(own.length === 0 ? param : mul(param, factor), total(others, ok));
};

/**
 * A training program's outputs: the given ones, and every new value under `next/<name of its input>`,
 * written in place over that input. Pass both to `device.compile`.
 */
export const inPlaceOutputs = (
  result: StepResult,
  params: Readonly<Record<string, Expr>>,
): { readonly outputs: Record<string, Expr>; readonly inPlace: Record<string, string> } => {
  const next = {
    ...Object.fromEntries(Object.keys(params).map((name, at) => [name, result.params[at]])),
    ...result.state,
  };
  return {
    outputs: Object.fromEntries(Object.entries(next).map(([name, x]) => [`next/${name}`, x])),
    inPlace: Object.fromEntries(Object.keys(next).map((name) => [`next/${name}`, name])),
  };
};
