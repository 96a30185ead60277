import { host, type HostTensor } from './expr.ts';
import { broadcastShapes, sizeOf, stridesOf, type DType, type Shape, type TensorType } from './types.ts';

/**
 * Walks an output shape in row-major order and yields, for each element, its offset in every operand (stride
 * 0 where it is broadcast).
 */
export const walk = (
  shape: Shape,
  strides: readonly (readonly number[])[],
  visit: (at: number, offsets: readonly number[]) => void,
): void => {
  const index = new Array<number>(shape.length).fill(0);
  const offsets = strides.map(() => 0);
  const total = sizeOf(shape);
  for (let at = 0; at < total; at++) {
    visit(at, offsets);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      for (let k = 0; k < offsets.length; k++) offsets[k] += strides[k][axis];
      if (++index[axis] < shape[axis]) break;
      for (let k = 0; k < offsets.length; k++) offsets[k] -= strides[k][axis] * shape[axis];
      index[axis] = 0;
    }
  }
};

/** Strides of `from` when it is read as `to`, which it broadcasts to. */
export const broadcastStrides = (from: Shape, to: Shape): number[] => {
  const own = stridesOf(from);
  return Array.from(to, (_, axis) => {
    const at = axis - to.length + from.length;
    return at < 0 || from[at] === 1 ? 0 : own[at];
  });
};

/** Applies `f` to each element of broadcast operands. */
export const mapTensors = (
  dtype: DType,
  f: (...values: number[]) => number,
  ...xs: readonly HostTensor[]
): HostTensor => {
  const shape = broadcastShapes('map', ...xs.map((x) => x.shape));
  const data = new Float64Array(sizeOf(shape));
  walk(
    shape,
    xs.map((x) => broadcastStrides(x.shape, shape)),
    (at, offsets) => {
      data[at] = f(...xs.map((x, k) => x.data[offsets[k]]));
    },
  );
  return host({ dtype, shape }, data);
};

/**
 * Rows along one axis: `visit` receives the offset of each row's first element, the distance between its
 * elements, and its length.
 */
export const rowsAlong = (
  shape: Shape,
  axis: number,
  visit: (start: number, stride: number, length: number, row: number) => void,
): void => {
  const stride = sizeOf(shape.slice(axis + 1));
  const length = shape[axis];
  const outer = sizeOf(shape.slice(0, axis));
  for (let o = 0, row = 0; o < outer; o++)
    for (let i = 0; i < stride; i++) visit(o * length * stride + i, stride, length, row++);
};

/** A host tensor rounded to the precision of its element type. */
export const rounded = ({ dtype, shape, data }: HostTensor): HostTensor =>
  host({ dtype, shape }, dtype === 'float32' ? data.map(Math.fround) : data.map(Math.trunc));

export const filled = (type: TensorType, value: number): HostTensor =>
  host(type, new Float64Array(sizeOf(type.shape)).fill(value));
