import { defineOp, expectDType, host, type Expr } from '../expr.ts';
import { rowsAlong } from '../host.ts';
import { illegal, show, sizeOf } from '../types.ts';
import { mul, sub } from './arithmetic.ts';
import { matmul } from './matmul.ts';
import { reshape } from './movement.ts';
import { sum } from './reduce.ts';
import { constant, outputOf } from './source.ts';

const rmsNormOp = defineOp<{ epsilon: number }>({
  name: 'rmsNorm',
  infer: ([x, gain]) => {
    expectDType('rmsNorm', x, 'float32');
    const { shape } = x.type;
    if (gain.type.dtype !== 'float32' || gain.type.shape.join() !== shape.slice(-1).join())
      throw illegal('rmsNorm', `${show(gain.type)} where float32[${shape.slice(-1).join()}] is needed`);
    return [x.type, { dtype: 'float32', shape: shape.with(-1, 1) }];
  },
  eval: ([x, gain], { epsilon }, outputs) => {
    const [y, inverses] = outputs.map((type) => host(type, new Float64Array(sizeOf(type.shape))));
    rowsAlong(x.shape, x.shape.length - 1, (start, _, length, row) => {
      const values = x.data.subarray(start, start + length);
      const inverse = 1 / Math.sqrt(values.reduce((a, b) => a + b * b, 0) / length + epsilon);
      values.forEach((value, i) => {
        y.data[start + i] = value * inverse * gain.data[i];
      });
      inverses.data[row] = inverse;
    });
    return [y, inverses];
  },
  emit: (g, inputs, { epsilon }) =>
    g.nodes('SimplifiedLayerNormalization', inputs, 2, {
      axis: -1,
      epsilon: { float: epsilon },
      stash_type: 1,
    }),
  // With n = x·r and r = 1/√(mean x² + ε): dx = r·(g·gain − n·mean(g·gain·n)).
  vjp: ({ inputs: [x, gain], output, grad: g, grads, attrs }) => {
    if (grads[1]) throw illegal('rmsNorm', 'the inverse root mean square has no gradient');
    const width = gain.type.shape[0];
    const lead = x.type.shape.slice(0, -1).map((_, axis) => axis);
    const inverse = outputOf(output, 1);
    const normal = outputOf(rmsNormOp([x, constant(new Float32Array(width).fill(1), gain.type)], attrs), 0);
    const weighted = mul(g, normal);
    // mean(g·gain·n) of each row, as a matrix-vector product over values that the gain's gradient needs
    // anyway
    const along = matmul(weighted, reshape(gain, [width, 1]), { alpha: 1 / width });
    return [mul(sub(mul(g, gain), mul(normal, along)), inverse), sum(weighted, lead)];
  },
  cases: [
    { shapes: [[3, 6], [6]], attrs: { epsilon: 1e-5 }, tolerance: 1e-5, through: [0] },
    { shapes: [[2, 2, 4], [4]], attrs: { epsilon: 0.1 }, tolerance: 1e-5, through: [0] },
  ],
});

/** x / √(mean x² + epsilon) · gain over the last axis (arXiv:1910.07467): x[..., D], gain[D]. */
export const rmsNorm = (x: Expr, gain: Expr, epsilon = 1e-6): Expr => {
  if (x.type.shape.length < 2) throw illegal('rmsNorm', `${show(x.type)} has no rows`);
  return rmsNormOp([x, gain], { epsilon });
};

export const rmsNormOps = [rmsNormOp];
