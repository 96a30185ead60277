import { defineOp, expectDType, type Expr } from '../expr.ts';
import { mapTensors } from '../host.ts';
import { add, exp, less, mul, neg, square, sub, unary, where } from './arithmetic.ts';

const logistic = (x: number): number => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

/** erf in float64, by the series 2/√π · e^(−x²) · Σ 2ⁿx²ⁿ⁺¹/(2n+1)!!, whose terms are all of one sign. */
const erfOf = (x: number): number => {
  if (Math.abs(x) > 6) return Math.sign(x);
  let sum = 0;
  for (let n = 0, term = x; Math.abs(term) > 1e-18 * Math.abs(sum); n++, term *= (2 * x * x) / (2 * n + 1))
    sum += term;
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
};

const tanhOp = unary({
  name: 'tanh',
  onnx: 'Tanh',
  f: Math.tanh,
  vjp: ({ y, g }) => mul(g, sub(1, mul(y, y))),
});
const sinOp = unary({ name: 'sin', onnx: 'Sin', f: Math.sin, vjp: ({ x, g }) => mul(g, cos(x)) });
const cosOp = unary({ name: 'cos', onnx: 'Cos', f: Math.cos, vjp: ({ x, g }) => neg(mul(g, sin(x))) });
const absOp = unary({
  name: 'abs',
  onnx: 'Abs',
  f: Math.abs,
  vjp: ({ x, g }) => mul(g, sign(x)),
  range: [0.1, 2],
});
const signOp = unary({ name: 'sign', onnx: 'Sign', f: Math.sign, vjp: () => undefined, range: [0.1, 2] });
const sigmoidOp = unary({
  name: 'sigmoid',
  onnx: 'Sigmoid',
  f: logistic,
  vjp: ({ y, g }) => mul(g, mul(y, sub(1, y))),
});
const reluOp = unary({
  name: 'relu',
  onnx: 'Relu',
  f: (x) => Math.max(x, 0),
  vjp: ({ y, g }) => where(less(0, y), g, 0),
});
const softplusOp = unary({
  name: 'softplus',
  onnx: 'Softplus',
  f: (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
  vjp: ({ x, g }) => mul(g, sigmoid(x)),
  range: [-8, 8],
});
const erfOp = unary({
  name: 'erf',
  onnx: 'Erf',
  f: erfOf,
  vjp: ({ x, g }) => mul(g, mul(2 / Math.sqrt(Math.PI), exp(neg(square(x))))),
});

export const tanh = (x: Expr): Expr => tanhOp([x], {});
export const sin = (x: Expr): Expr => sinOp([x], {});
export const cos = (x: Expr): Expr => cosOp([x], {});
export const abs = (x: Expr): Expr => absOp([x], {});
/** −1, 0 or 1; its gradient is 0. */
export const sign = (x: Expr): Expr => signOp([x], {});
export const sigmoid = (x: Expr): Expr => sigmoidOp([x], {});
export const relu = (x: Expr): Expr => reluOp([x], {});
/** log(1 + eˣ) without overflow; log σ(x) is −softplus(−x). */
export const softplus = (x: Expr): Expr => softplusOp([x], {});
/** log σ(x), exact where σ(x) underflows. */
export const logSigmoid = (x: Expr): Expr => neg(softplus(neg(x)));
export const erf = (x: Expr): Expr => erfOp([x], {});

const clipOp = defineOp<{ low: number; high: number }>({
  name: 'clip',
  infer: ([x]) => {
    expectDType('clip', x, 'float32');
    return x.type;
  },
  eval: ([x], { low, high }) =>
    mapTensors(x.dtype, (v) => Math.min(Math.max(v, Math.fround(low)), Math.fround(high)), x),
  emit: (g, [x], { low, high }) =>
    g.node('Clip', [
      x,
      g.tensor({ dtype: 'float32', shape: [] }, [low]),
      g.tensor({ dtype: 'float32', shape: [] }, [high]),
    ]),
  // On a bound the gradient passes: x equals its clipped value exactly if it was not clipped.
  vjp: ({ inputs: [x], output: y, grad: g }) => [where(less(y, x), 0, where(less(x, y), 0, g))],
  cases: [{ shapes: [[2, 8]], attrs: { low: -0.8, high: 1.2 } }],
});
/** x limited to [low, high]; the gradient is 0 outside. */
export const clip = (x: Expr, low: number, high: number): Expr => clipOp([x], { low, high });

const siluOp = defineOp<object>({
  name: 'silu',
  infer: ([x]) => {
    expectDType('silu', x, 'float32');
    return x.type;
  },
  eval: ([x]) => mapTensors(x.dtype, (v) => v * logistic(v), x),
  // One pass over memory in place of two.
  emit: (g, inputs) => g.node('QuickGelu', inputs, { alpha: { float: 1 } }, 'com.microsoft'),
  // d(x·σ) = σ + xσ(1 − σ) = σ + y(1 − σ)
  vjp: ({ inputs: [x], output: y, grad: g }) => {
    const s = sigmoid(x);
    return [mul(g, add(s, mul(y, sub(1, s))))];
  },
  cases: [{ shapes: [[2, 5]], attrs: {}, range: [-6, 6] }],
});
/** x·σ(x), also called swish. */
export const silu = (x: Expr): Expr => siluOp([x], {});

const K = Math.sqrt(2 / Math.PI);
const C = 0.044715;

const geluOp = defineOp<{ approximate: 'none' | 'tanh' }>({
  name: 'gelu',
  infer: ([x]) => {
    expectDType('gelu', x, 'float32');
    return x.type;
  },
  eval: ([x], { approximate }) =>
    mapTensors(
      x.dtype,
      approximate === 'tanh'
        ? (v) => 0.5 * v * (1 + Math.tanh(K * (v + C * v ** 3)))
        : (v) => 0.5 * v * (1 + erfOf(v / Math.SQRT2)),
      x,
    ),
  emit: (g, inputs, { approximate }) => g.node('Gelu', inputs, { approximate }),
  vjp: ({ inputs: [x], output: y, grad: g, attrs: { approximate } }) => [
    mul(g, approximate === 'tanh' ? tanhSlope(x, y) : erfSlope(x)),
  ],
  cases: [
    { shapes: [[2, 9]], attrs: { approximate: 'none' }, range: [-5, 5] },
    { shapes: [[2, 9]], attrs: { approximate: 'tanh' }, range: [-5, 5] },
  ],
});

/**
 * ½(1 + tanh u) = σ(2u), so y = x·σ(z) with z = x(2K + 2KC·x²), and dy = σ + y(1 − σ)z′ with z′ = 2K +
 * 6KC·x²: the output of the forward pass stands in for x·σ, and x² is shared.
 */
const tanhSlope = (x: Expr, y: Expr): Expr => {
  const x2 = square(x);
  const s = sigmoid(mul(x, add(mul(x2, 2 * K * C), 2 * K)));
  const slope = add(mul(x2, 6 * K * C), 2 * K);
  return add(s, mul(mul(y, sub(1, s)), slope));
};

/** y = xΦ(x), dy = Φ + xφ. */
const erfSlope = (x: Expr): Expr => {
  const density = mul(exp(mul(square(x), -0.5)), 1 / Math.sqrt(2 * Math.PI));
  return add(add(mul(erf(mul(x, Math.SQRT1_2)), 0.5), 0.5), mul(x, density));
};

/** Gaussian error linear unit, xΦ(x) (arXiv:1606.08415). */
export const gelu = (x: Expr): Expr => geluOp([x], { approximate: 'none' });
/** Its tanh form, which GPT-2 uses under the name `gelu_new`. */
export const geluTanh = (x: Expr): Expr => geluOp([x], { approximate: 'tanh' });

export const nonlinearOps = [
  tanhOp,
  sinOp,
  cosOp,
  absOp,
  signOp,
  clipOp,
  sigmoidOp,
  reluOp,
  softplusOp,
  erfOp,
  siluOp,
  geluOp,
];
