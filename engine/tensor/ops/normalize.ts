import { defineOp, expectDType, host, type Expr, type HostTensor } from '../expr.ts';
import { rowsAlong } from '../host.ts';
import { axisOf, illegal, show, sizeOf } from '../types.ts';
import { add, exp, mul, sub } from './arithmetic.ts';
import { matmul } from './matmul.ts';
import { reshape } from './movement.ts';
import { mean, sum } from './reduce.ts';
import { constant, outputOf } from './source.ts';

interface AxisAttrs {
  readonly axis: number;
}

/** log Σ eˣ of a row, in float64. */
const logSumExp = (data: Float64Array, start: number, stride: number, length: number): number => {
  let top = -Infinity;
  for (let i = 0; i < length; i++) top = Math.max(top, data[start + i * stride]);
  let total = 0;
  for (let i = 0; i < length; i++) total += Math.exp(data[start + i * stride] - top);
  return top + Math.log(total);
};

const alongRows = (x: HostTensor, axis: number, f: (value: number, lse: number) => number): HostTensor => {
  const data = new Float64Array(x.data.length);
  rowsAlong(x.shape, axis, (start, stride, length) => {
    const lse = logSumExp(x.data, start, stride, length);
    for (let i = 0; i < length; i++) data[start + i * stride] = f(x.data[start + i * stride], lse);
  });
  return host(x, data);
};

/** log-softmax of the last axis, on the host. */
export const logSoftmaxRows = (x: HostTensor): HostTensor =>
  alongRows(x, x.shape.length - 1, (value, lse) => value - lse);

const cases = [
  { shapes: [[2, 5]], attrs: { axis: 1 }, range: [-30, 30] as const },
  { shapes: [[2, 3, 4]], attrs: { axis: 1 } },
  { shapes: [[0, 4]], attrs: { axis: 1 } },
];

const softmaxOp = defineOp<AxisAttrs>({
  name: 'softmax',
  infer: ([x]) => {
    expectDType('softmax', x, 'float32');
    return x.type;
  },
  eval: ([x], { axis }) => alongRows(x, axis, (value, lse) => Math.exp(value - lse)),
  emit: (g, inputs, { axis }) => g.node('Softmax', inputs, { axis }),
  vjp: ({ output: y, grad: g, attrs: { axis } }) => [mul(y, sub(g, sum(mul(g, y), axis, true)))],
  cases: cases.map((c) => ({ ...c, tolerance: 1e-5 })),
});
/** eˣ / Σ eˣ along an axis (the last by default). A row of only −∞ gives NaN. */
export const softmax = (x: Expr, axis = -1): Expr =>
  softmaxOp([x], { axis: axisOf('softmax', axis, x.type.shape.length) });

const logSoftmaxOp = defineOp<AxisAttrs>({
  name: 'logSoftmax',
  infer: ([x]) => {
    expectDType('logSoftmax', x, 'float32');
    return x.type;
  },
  eval: ([x], { axis }) => alongRows(x, axis, (value, lse) => value - lse),
  emit: (g, inputs, { axis }) => g.node('LogSoftmax', inputs, { axis }),
  // y = x − lse(x)  ⇒  dx = dy − softmax(x)·Σdy, and softmax(x) = exp(y): nothing is recomputed
  vjp: ({ output: y, grad: g, attrs: { axis } }) => [sub(g, mul(exp(y), sum(g, axis, true)))],
  cases,
});
/** log(softmax(x)) along an axis (the last by default), as one node so that large logits never overflow. */
export const logSoftmax = (x: Expr, axis = -1): Expr =>
  logSoftmaxOp([x], { axis: axisOf('logSoftmax', axis, x.type.shape.length) });

const layerNormOp = defineOp<{ epsilon: number }>({
  name: 'layerNorm',
  infer: ([x, gain, bias]) => {
    expectDType('layerNorm', x, 'float32');
    const { shape } = x.type;
    const width = shape.slice(-1);
    for (const p of [gain, bias])
      if (p.type.dtype !== 'float32' || p.type.shape.join() !== width.join())
        throw illegal('layerNorm', `${show(p.type)} where float32[${width}] is needed`);
    const row = { dtype: 'float32' as const, shape: shape.with(-1, 1) };
    return [x.type, row, row];
  },
  eval: ([x, gain, bias], { epsilon }, outputs) => {
    const [y, means, inverses] = outputs.map((type) => host(type, new Float64Array(sizeOf(type.shape))));
    rowsAlong(x.shape, x.shape.length - 1, (start, _, length, row) => {
      const values = x.data.subarray(start, start + length);
      const average = values.reduce((a, b) => a + b, 0) / length;
      const inverse = 1 / Math.sqrt(values.reduce((a, b) => a + (b - average) ** 2, 0) / length + epsilon);
      values.forEach((value, i) => {
        y.data[start + i] = (value - average) * inverse * gain.data[i] + bias.data[i];
      });
      [means.data[row], inverses.data[row]] = [average, inverse];
    });
    return [y, means, inverses];
  },
  emit: (g, inputs, { epsilon }) =>
    g.nodes('LayerNormalization', inputs, 3, { axis: -1, epsilon: { float: epsilon } }),
  vjp: ({ inputs: [x, gain, bias], output, grad: g, grads, attrs }) => {
    if (grads[1] || grads[2]) throw illegal('layerNorm', 'mean and inverse deviation have no gradient');
    const width = gain.type.shape[0];
    const lead = x.type.shape.slice(0, -1).map((_, axis) => axis);
    const unit = (value: number): Expr => constant(new Float32Array(width).fill(value), gain.type);
    // Normalizes the rows again by the same fused kernel: one pass, where (x − mean)·inverse takes two.
    const normal = layerNormOp([x, unit(1), unit(0)], attrs);
    const weighted = mul(g, normal);
    const scaled = mul(g, gain);
    // mean(g·gain·normal) of each row, as a matrix-vector product over values that the gain's gradient needs
    // anyway
    const along = matmul(weighted, reshape(gain, [width, 1]), { alpha: 1 / width });
    const centred = sub(scaled, add(mul(normal, along), mean(scaled, -1, true)));
    return [mul(centred, outputOf(output, 2)), sum(weighted, lead), bias && sum(g, lead)];
  },
  cases: [
    { shapes: [[3, 6], [6], [6]], attrs: { epsilon: 1e-5 }, tolerance: 1e-5, through: [0] },
    { shapes: [[2, 2, 4], [4], [4]], attrs: { epsilon: 0.1 }, tolerance: 1e-5, through: [0] },
  ],
});
/**
 * (x − mean) / √(variance + epsilon) · gain + bias over the last axis (arXiv:1607.06450): x[..., D], gain[D],
 * bias[D].
 */
export const layerNorm = (x: Expr, gain: Expr, bias: Expr, epsilon = 1e-5): Expr => {
  if (x.type.shape.length < 2) throw illegal('layerNorm', `${show(x.type)} has no rows`);
  return layerNormOp([x, gain, bias], { epsilon });
};

export const normalizeOps = [softmaxOp, logSoftmaxOp, layerNormOp];
