import { defineOp, expectDType, host, type Expr } from '../expr.ts';
import { illegal, show } from '../types.ts';
import { add, mul, neg, sub } from './arithmetic.ts';
import { scatterRows } from './indexing.ts';
import { split } from './joining.ts';
import { reshape } from './movement.ts';
import { sum } from './reduce.ts';

const onnxInt64 = 7;

/** The two halves of each head: x[B, T, H·S] → twice [B·T, H, S / 2]. */
const halves = (x: Expr, half: number): Expr[] => {
  const [B, T, width] = x.type.shape;
  return split(reshape(x, [B * T, width / (2 * half), 2 * half]), 2, [half, half]);
};

const rotaryOp = defineOp<object>({
  name: 'rotary',
  infer: ([x, cosines, sines, positions]) => {
    for (const input of [x, cosines, sines]) expectDType('rotary', input, 'float32');
    expectDType('rotary', positions, 'int32', 'int64');
    const [B, T, width] = x.type.shape;
    const half = cosines.type.shape[1];
    if (
      x.type.shape.length !== 3 ||
      cosines.type.shape.join() !== sines.type.shape.join() ||
      cosines.type.shape.length !== 2 ||
      width % (2 * half) !== 0
    )
      throw illegal('rotary', `${show(cosines.type)} does not turn ${show(x.type)}`);
    if (positions.type.shape.join() !== `${B},${T}`)
      throw illegal('rotary', `${show(positions.type)} where a position for each of [${B}, ${T}] is needed`);
    return x.type;
  },
  eval: ([x, cosines, sines, positions]) => {
    const half = cosines.shape[1];
    const data = new Float64Array(x.data.length);
    const width = x.shape[2];
    for (let at = 0; at < data.length; at++) {
      const inHead = at % (2 * half);
      const i = inHead % half;
      const first = inHead < half;
      const row = positions.data[Math.floor(at / width)] * half + i;
      data[at] =
        x.data[at] * cosines.data[row] + (first ? -x.data[at + half] : x.data[at - half]) * sines.data[row];
    }
    return host(x, data);
  },
  emit: (g, [x, cosines, sines, positions], _, { inputs }) => {
    const at = inputs[3].type.dtype === 'int64' ? positions : g.node('Cast', [positions], { to: onnxInt64 });
    return g.node('RotaryEmbedding', [x, at, cosines, sines], {}, 'com.microsoft');
  },
  // The transpose of a rotation rotates back. With x = (a, b), y = (a·c − b·s, b·c + a·s): dc = ga·a + gb·b,
  // ds = gb·a − ga·b, over all rows of a position.
  vjp: ({ inputs: [x, cosines, sines, positions], grad: g }) => {
    const [rows, half] = cosines.type.shape;
    const [B, T] = x.type.shape;
    const [[a, b], [ga, gb]] = [halves(x, half), halves(g, half)];
    const gathered = (byHead: Expr) => scatterRows(reshape(positions, [B * T]), sum(byHead, 1), rows);
    return [
      rotary(g, cosines, neg(sines), positions),
      gathered(add(mul(ga, a), mul(gb, b))),
      gathered(sub(mul(gb, a), mul(ga, b))),
      undefined,
    ];
  },
  cases: [
    {
      shapes: [
        [2, 3, 8],
        [5, 2],
        [5, 2],
        [2, 3],
      ],
      attrs: {},
      kinds: { 3: [0, 5] },
    },
    {
      shapes: [
        [1, 4, 4],
        [4, 2],
        [4, 2],
        [1, 4],
      ],
      attrs: {},
      values: { 3: [0, 1, 2, 3] },
      kinds: { 3: [0, 4] },
    },
    {
      shapes: [
        [3, 1, 8],
        [3, 4],
        [3, 4],
        [3, 1],
      ],
      attrs: {},
      values: { 3: [2, 0, 1] },
      kinds: { 3: [0, 3] },
    },
  ],
});

/**
 * Rotary position embedding (arXiv:2104.09864), in the layout of Llama: in each head of size S, entries i
 * and i + S/2 are rotated by the angle of their position. x[B, T, H·S], cosines and sines [P, S/2],
 * positions int32 or int64 [B, T], each below P.
 */
export const rotary = (x: Expr, cosines: Expr, sines: Expr, positions: Expr): Expr =>
  rotaryOp([x, cosines, sines, positions], {});

export const rotaryOps = [rotaryOp];
