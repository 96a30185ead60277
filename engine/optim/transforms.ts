import { add, div, minimum, mul, pow, scalar, sqrt, square, sub, sumSquare, type Expr } from '../tensor/index.ts';
import { blend, single, type Transform } from './transform.ts';

/** √Σ x² over all tensors; float32 scalar. */
export const globalNorm = (xs: readonly Expr[]): Expr => sqrt(xs.map((x) => sumSquare(x)).reduce((a, b) => add(a, b)));

const stateless = { slots: [] };
const one = (): Expr => scalar(1);

/** Scales everything so that the norm is at most `limit`; `norm` is the global norm of the gradients. */
export const clipByGlobalNorm = (norm: Expr, limit: number): Transform => ({
  ...stateless,
  // A norm of 0 gives limit/0 = ∞, and the minimum is 1.
  apply: (updates) => ({ updates: updates.map((terms) => terms.map(({ x, by }) => ({ x, by: mul(by, minimum(div(scalar(limit), norm), 1)) }))), slots: {} }),
});

/**
 * Adam's direction (arXiv:1412.6980, algorithm 1), m̂ / (√v̂ + ε). With c₁ = 1 − β₁ᵗ and c₂ = 1 − β₂ᵗ it is (√c₂/c₁) · m / (√v + ε√c₂):
 * bias correction touches scalars only.
 */
export const scaleByAdam = ({ beta1, beta2, epsilon }: { readonly beta1: number; readonly beta2: number; readonly epsilon: number }): Transform => ({
  slots: ['first', 'second'],
  apply(updates, { slots, step, ok }) {
    const terms = updates.map((update) => single(update, one()));
    const first = terms.map(({ x, by }, at) => blend(ok, slots.first[at], beta1, x, mul(by, 1 - beta1)));
    const second = terms.map(({ x, by }, at) => blend(ok, slots.second[at], beta2, square(x), mul(square(by), 1 - beta2)));
    const root2 = sqrt(sub(1, pow(scalar(beta2), step)));
    const by = div(root2, sub(1, pow(scalar(beta1), step)));
    const floor = mul(root2, epsilon);
    return { updates: first.map((m, at) => [{ x: div(m, add(sqrt(second[at]), floor)), by }]), slots: { first, second } };
  },
});

/** Accumulates momentum: trace ← decay·trace + update (Sutskever et al., 2013, without the factor 1 − decay). */
export const momentum = (decay: number): Transform => ({
  slots: ['trace'],
  apply(updates, { slots, ok }) {
    const trace = updates.map((update, at) => { const { x, by } = single(update, one()); return blend(ok, slots.trace[at], decay, x, by); });
    return { updates: trace.map((x) => [{ x, by: one() }]), slots: { trace } };
  },
});

/** Adds weight·parameter to the update, before the learning rate: decoupled decay (arXiv:1711.05101). */
export const addDecayedWeights = (weight: number): Transform => ({
  ...stateless,
  apply: (updates, { params }) => ({ updates: weight === 0 ? updates : updates.map((terms, at) => [...terms, { x: params[at], by: scalar(weight) }]), slots: {} }),
});

/** Multiplies by −learning rate: from an ascent direction of the loss to what is added to the parameters. */
export const scaleByLearningRate: Transform = {
  ...stateless,
  apply: (updates, { learningRate }) => ({ updates: updates.map((terms) => terms.map(({ x, by }) => ({ x, by: mul(by, mul(learningRate, -1)) }))), slots: {} }),
};
