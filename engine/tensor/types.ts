import { WhetstoneError } from '../common/errors.ts';

export type DType = 'float32' | 'int32' | 'int64' | 'uint8' | 'bool';
export type Shape = readonly number[];

/** Element type and static shape of a tensor. Rank 0 is a scalar; an axis of length 0 is legal. */
export interface TensorType {
  readonly dtype: DType;
  readonly shape: Shape;
}

/** Number of elements of a shape; 1 for a scalar. */
export const sizeOf = (shape: Shape): number => shape.reduce((product, length) => product * length, 1);

export const sameShape = (a: Shape, b: Shape): boolean =>
  a.length === b.length && a.every((length, axis) => length === b[axis]);

/** The type as text for messages: `float32[2, 3]`. */
export const show = ({ dtype, shape }: TensorType): string => `${dtype}[${shape.join(', ')}]`;

/** Row-major strides, in elements. */
export const stridesOf = (shape: Shape): number[] => {
  const strides = new Array<number>(shape.length);
  for (let axis = shape.length - 1, stride = 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
};

/** The error for a graph that cannot be built: the operation and the reason. */
export const illegal = (op: string, reason: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `${op}: ${reason}`, {
    where: `tensor operation ${op}`,
    hint: 'Shapes are static and follow the rules of NumPy.',
  });

/** An axis counted from the front; -1 is the last one. */
export const axisOf = (op: string, axis: number, rank: number): number => {
  const positive = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(positive) || positive < 0 || positive >= rank)
    throw illegal(op, `axis ${axis} does not exist in rank ${rank}`);
  return positive;
};

/** The common shape of operands under NumPy's broadcasting: axes are aligned at the end, and 1 stretches. */
export const broadcastShapes = (op: string, ...shapes: Shape[]): number[] => {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    const lengths = shapes
      .map((shape) => shape[axis - rank + shape.length] ?? 1)
      .filter((length) => length !== 1);
    if (new Set(lengths).size > 1)
      throw illegal(
        op,
        `shapes ${shapes.map((shape) => `[${shape.join(', ')}]`).join(' and ')} do not broadcast`,
      );
    return lengths[0] ?? 1;
  });
};
