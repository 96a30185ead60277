import { add, and, cast, input, isFinite, not, scalar, sizeOf, where, type Expr } from '../tensor/index.ts';
import { chain, total, type Transform } from './transform.ts';
import { addDecayedWeights, clipByGlobalNorm, globalNorm, momentum, scaleByAdam, scaleByLearningRate } from './transforms.ts';

/** What an optimizer is: the numbers of a run's `optimizer`, less its schedule, which the host computes (`learningRateAt`). */
export interface OptimizerSettings {
  readonly kind: 'adamw' | 'sgd';
  /** For `sgd`, the decay of the momentum; 0 is plain gradient descent. */
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly clipNorm: number;
}

const direction = ({ kind, beta1, beta2, epsilon }: OptimizerSettings): Transform => {
  if (kind === 'adamw') return scaleByAdam({ beta1, beta2, epsilon });
  return beta1 === 0 ? chain() : momentum(beta1);
};

/** State of an optimizer by name: `optimizer/step` and, for each slot and parameter, `optimizer/<slot>/<position>`. */
export type State = Readonly<Record<string, Expr>>;
const stepName = 'optimizer/step';
const slotName = (slot: string, at: number): string => `optimizer/${slot}/${at}`;

/** The state as inputs of a graph. Everything starts at 0. */
export const optimizerState = (settings: OptimizerSettings, params: readonly Expr[]): State => ({
  [stepName]: input(stepName, { dtype: 'float32', shape: [] }),
  ...Object.fromEntries(direction(settings).slots.flatMap((slot) => params.map(({ type }, at) => [slotName(slot, at), input(slotName(slot, at), type)]))),
});

/** Fresh arrays for a state, all 0. */
export const initialState = (state: State): Record<string, Float32Array> =>
  Object.fromEntries(Object.entries(state).map(([name, { type }]) => [name, new Float32Array(sizeOf(type.shape))]));

export interface StepInputs {
  /** float32 scalar; a step whose loss is not finite is skipped. */
  readonly loss: Expr;
  readonly params: readonly Expr[];
  readonly grads: readonly Expr[];
  readonly state: State;
  /** float32 scalar, usually an input fed from `learningRateAt`. */
  readonly learningRate: Expr;
}

export interface StepResult {
  readonly params: readonly Expr[];
  readonly state: State;
  /** float32 scalars. `skipped` is 1 where loss or gradient was not finite: then parameters and state come back as they were. */
  readonly metrics: { readonly gradNorm: Expr; readonly updateNorm: Expr; readonly skipped: Expr };
}

/**
 * One update: clip by global norm, momentum or Adam, decoupled weight decay, learning rate. Best fed one flat vector of all parameters: then each
 * elementwise pass is one node, whatever the number of weights.
 * Every new value depends on the global norm, hence on every gradient: parameters and state may be written in place.
 */
export const optimizerStep = (settings: OptimizerSettings, { loss, params, grads, state, learningRate }: StepInputs): StepResult => {
  const gradNorm = globalNorm(grads);
  const ok = and(isFinite(loss), isFinite(gradNorm));
  const core = direction(settings);
  const transform = chain(clipByGlobalNorm(gradNorm, settings.clipNorm), core, addDecayedWeights(settings.weightDecay), scaleByLearningRate);
  const step = add(state[stepName], 1);
  const slots = Object.fromEntries(core.slots.map((slot) => [slot, params.map((_, at) => state[slotName(slot, at)])]));
  // Zeros in place of a bad gradient, in this one pass; everything after it is finite.
  const clean = grads.map((g) => [{ x: where(ok, g, 0), by: scalar(1) }]);
  const made = transform.apply(clean, { params, slots, step, learningRate, ok });
  const updates = made.updates.map((terms) => total(terms.map(({ x, by }) => ({ x, by: where(ok, by, 0) }))));
  return {
    params: params.map((p, at) => add(p, updates[at])),
    state: {
      [stepName]: where(ok, step, state[stepName]),
      ...Object.fromEntries(core.slots.flatMap((slot) => made.slots[slot].map((x, at) => [slotName(slot, at), x]))),
    },
    metrics: { gradNorm, updateNorm: globalNorm(updates), skipped: cast(not(ok), 'float32') },
  };
};

/**
 * A training program's outputs: the given ones, and every new value under `next/<name of its input>`, to be written in place over that input.
 * Pass both to `device.compile`.
 */
export const inPlaceOutputs = (result: StepResult, params: Readonly<Record<string, Expr>>): { readonly outputs: Record<string, Expr>; readonly inPlace: Record<string, string> } => {
  const next = { ...Object.fromEntries(Object.keys(params).map((name, at) => [name, result.params[at]])), ...result.state };
  return {
    outputs: Object.fromEntries(Object.entries(next).map(([name, x]) => [`next/${name}`, x])),
    inPlace: Object.fromEntries(Object.keys(next).map((name) => [`next/${name}`, name])),
  };
};
