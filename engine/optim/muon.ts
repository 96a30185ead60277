/**
 * Muon (Jordan et al., 2024, "Muon: an optimizer for hidden layers in neural networks"): orthogonalized
 * momentum for matrices inside a network.
 */
import { add, div, matmul, maximum, mul, scalar, transpose, type Expr } from '../tensor/index.ts';
import { decayed, total, type Transform } from './transform.ts';
import { globalNorm } from './transforms.ts';

/**
 * Coefficients of the quintic aX + b(XXᵀ)X + c(XXᵀ)²X: five steps bring singular values in (0, 1] to about
 * 0.7 … 1.2.
 */
const [a, b, c] = [3.4445, -4.775, 2.0315];
const STEPS = 5;

/**
 * UVᵀ of a matrix X = USVᵀ [m, n], approximately (Newton–Schulz). `floor` bounds the norm that X is divided
 * by, so that 0 stays 0.
 */
export const orthogonalized = (x: Expr, floor: number): Expr => {
  const tall = x.type.shape[0] > x.type.shape[1];
  // the products run over the shorter side
  const wide = tall ? transpose(x, [1, 0]) : x;
  let y = div(wide, maximum(globalNorm([wide]), scalar(floor)));
  for (let step = 0; step < STEPS; step++) {
    const gram = matmul(y, y, { transposeB: true });
    y = add(mul(y, a), matmul(add(mul(gram, b), matmul(gram, gram, { alpha: c })), y));
  }
  return tall ? transpose(y, [1, 0]) : y;
};

/**
 * Muon's direction for matrices: Nesterov momentum, orthogonalized, times 0.2·√max(m, n), which gives
 * updates of AdamW's size (arXiv:2502.16982, section 2.2), so that learning rate and weight decay carry
 * over. The state is the sum M = m / (1 − β).
 */
export const scaleByMuon = (beta: number): Transform => ({
  slots: ['momentum'],
  apply(updates, { slots, ok }) {
    const xs = updates.map((update) => total(update, ok));
    const kept = xs.map((x, at) => decayed(ok, slots.momentum[at], beta, x));
    return {
      updates: xs.map((x, at) => [
        {
          x: orthogonalized(add(x, mul(kept[at], beta)), 1e-7 / Math.max(1 - beta, 1e-7)),
          by: scalar(0.2 * Math.sqrt(Math.max(...x.type.shape))),
        },
      ]),
      slots: { momentum: kept },
    };
  },
});
