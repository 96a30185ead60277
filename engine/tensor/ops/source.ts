import { createHash } from 'node:crypto';
import { defineOp, host, type Expr } from '../expr.ts';
import { illegal, show, sizeOf, type DType, type TensorType } from '../types.ts';

type Numbers = Float32Array | Int32Array | Uint8Array | Float64Array | BigInt64Array;

const noValue = (name: string) => (): never => {
  throw illegal(name, 'has a value only while a graph runs');
};

const inputOp = defineOp<{ name: string; dtype: DType; shape: readonly number[] }>({
  name: 'input',
  infer: (_, { dtype, shape }) => ({ dtype, shape }),
  eval: noValue('input'),
  emit: noValue('input'),
  vjp: () => [],
  cases: [],
});

/** A value fed at each run. Inputs with the same name are one input, and must have one type. */
export const input = (name: string, type: TensorType): Expr =>
  inputOp([], { name, dtype: type.dtype, shape: [...type.shape] });

/** The name of an input, or undefined for any other node. */
export const inputName = (x: Expr): string | undefined =>
  x.op.name === 'input' ? (x.attrs as { name: string }).name : undefined;

interface ConstantAttrs {
  readonly type: TensorType;
  readonly data: Float64Array;
}

const constantOp = defineOp<ConstantAttrs>({
  name: 'constant',
  infer: (_, { type }) => type,
  eval: (_, { type, data }) => host(type, data),
  emit: (g, _, { type, data }) => g.tensor(type, data),
  vjp: () => [],
  cases: [
    {
      shapes: [],
      attrs: { type: { dtype: 'float32', shape: [2, 2] }, data: Float64Array.of(1, -2, 3.5, 0) },
    },
  ],
  key: ({ type, data }) =>
    `${show(type)}${
      data.length <= 64
        ? Array.from(data, (x) => (Object.is(x, -0) ? '-0' : x)).join()
        : createHash('sha256')
            .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
            .digest('hex')
    }`,
});

/**
 * A fixed tensor, copied from `values` and written into the model file; keep it small, and feed large
 * values.
 */
export const constant = (values: Numbers | readonly number[], type: TensorType): Expr => {
  const data = Float64Array.from(values as ArrayLike<number | bigint>, Number);
  if (data.length !== sizeOf(type.shape))
    throw illegal('constant', `${show(type)} cannot hold ${data.length} values`);
  return constantOp([], {
    type: { dtype: type.dtype, shape: [...type.shape] },
    data: type.dtype === 'float32' ? data.map(Math.fround) : data,
  });
};

/** A constant of rank 0. */
export const scalar = (value: number, dtype: DType = 'float32'): Expr =>
  constant([value], { dtype, shape: [] });

/** 0, 1, …, length − 1 as int32[length]. */
export const iota = (length: number): Expr =>
  constant(
    Int32Array.from({ length }, (_, at) => at),
    { dtype: 'int32', shape: [length] },
  );

/** The numbers of a constant, or undefined for any other node. */
export const constantData = (x: Expr): Float64Array | undefined =>
  x.op.name === 'constant' ? (x.attrs as ConstantAttrs).data : undefined;

/** An operand of a binary op: a bare number takes the other operand's element type. */
export type Operand = Expr | number;

/** Turns numbers into scalars of the other operands' element type. */
export const lift = (op: string, ...operands: readonly Operand[]): Expr[] => {
  const sibling = operands.find((x): x is Expr => typeof x !== 'number');
  if (!sibling) throw illegal(op, 'at least one operand must be a tensor');
  return operands.map((x) => (typeof x === 'number' ? scalar(x, sibling.type.dtype) : x));
};

const outputOp = defineOp<{ index: number }>({
  name: 'output',
  infer: ([node], { index }) => {
    const type = node.outputs[index];
    if (!type) throw illegal('output', `${node.op.name} has no output ${index}`);
    return type;
  },
  eval: noValue('output'),
  emit: noValue('output'),
  vjp: () => [],
  cases: [],
});

/** One output of a node that has several. */
export const outputOf = (node: Expr, index: number): Expr =>
  node.outputs.length === 1 && index === 0 ? node : outputOp([node], { index });

/** The node and output index that a value comes from. */
export const producer = (x: Expr): { node: Expr; index: number } =>
  x.op.name === 'output'
    ? { node: x.inputs[0], index: (x.attrs as { index: number }).index }
    : { node: x, index: 0 };

export const sourceOps = [constantOp];
/**
 * Ops that only represent a value: they have no cases of their own and are tested with every op that uses
 * them.
 */
export const structuralOps = [inputOp, outputOp];
