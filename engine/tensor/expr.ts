import { illegal, show, sizeOf, type DType, type TensorType } from './types.ts';

/** A value of a graph: immutable, and the same object for the same computation on the same inputs. */
export interface Expr {
  /** Grows in the order of construction; carries no meaning and never enters a graph's bytes. */
  readonly id: number;
  readonly op: Op;
  readonly inputs: readonly Expr[];
  readonly attrs: object;
  /** Type of the (first) output. */
  readonly type: TensorType;
  /** Types of all outputs; more than one only for ops such as `split`, whose parts `outputOf` returns. */
  readonly outputs: readonly TensorType[];
}

/**
 * Numbers of a tensor on the host, in float64 whatever its type (booleans are 0 and 1); `eval` takes and
 * returns these.
 */
export interface HostTensor extends TensorType {
  readonly data: Float64Array;
}

/** An attribute of an ONNX node: whole numbers become `int`, `float(x)` a float, arrays `ints`. */
export type NodeAttr =
  number | string | readonly number[] | { readonly float: number } | { readonly graph: unknown };

/**
 * Functions available to `emit`; implemented by the lowering. Names are ONNX value names, `''` is an absent
 * optional input.
 */
export interface Emitter {
  /** Adds a node and returns the name of its only output. */
  node(
    type: string,
    inputs: readonly string[],
    attrs?: Readonly<Record<string, NodeAttr>>,
    domain?: string,
  ): string;
  /** Adds a node with several outputs. */
  nodes(
    type: string,
    inputs: readonly string[],
    outputs: number,
    attrs?: Readonly<Record<string, NodeAttr>>,
    domain?: string,
  ): string[];
  /** A constant of the graph; equal constants share one name. */
  tensor(type: TensorType, data: ArrayLike<number>): string;
  /** A graph nested in a node, which sees every outer name. */
  subgraph(body: Body): { readonly graph: unknown };
}

/** A nested graph: its own inputs, the names of outer values, and its results. */
export interface Body {
  readonly name: string;
  readonly parameters: readonly Expr[];
  readonly bound: ReadonlyMap<Expr, string>;
  readonly results: readonly Expr[];
}

export interface VjpContext<A> {
  readonly inputs: readonly Expr[];
  readonly output: Expr;
  /** Gradient of the loss by the first output. */
  readonly grad: Expr;
  /** The same for every output; undefined where the loss does not depend on it. */
  readonly grads: readonly (Expr | undefined)[];
  readonly attrs: A;
}

/** One check of an op by the contract test `every-op`. */
export interface Case<A> {
  readonly shapes: readonly (readonly number[])[];
  readonly attrs: A;
  /** Range from which float inputs are drawn; [-2, 2) by default. */
  readonly range?: readonly [number, number];
  /** Inputs that are not floats, by position: `bool`, any byte, or int32 in [low, high). */
  readonly kinds?: Readonly<Record<number, 'bool' | 'uint8' | readonly [number, number]>>;
  /** Exact values of inputs, by position, for cases that random numbers would miss. */
  readonly values?: Readonly<Record<number, readonly number[]>>;
  /** Relative tolerance of the float32 value; 2e-6 by default. */
  readonly tolerance?: number;
  /** Outputs that have a gradient; all by default. */
  readonly through?: readonly number[];
}

/** The definition of one op. */
export interface OpDefinition<A extends object> {
  readonly name: string;
  /** Output type(s); throws for illegal inputs. */
  infer(inputs: readonly Expr[], attrs: A): TensorType | readonly TensorType[];
  /** The meaning of the op, in plain TypeScript and float64. */
  eval(
    inputs: readonly HostTensor[],
    attrs: A,
    outputs: readonly TensorType[],
  ): HostTensor | readonly HostTensor[];
  /** Adds ONNX nodes; returns the output name(s). */
  emit(g: Emitter, inputs: readonly string[], attrs: A, node: Expr): string | readonly string[];
  /**
   * Gradient of each input, in the shape of the output if an input was broadcast (`grad` sums it down),
   * undefined for no gradient. `'none'`: the op is not differentiable (comparisons, indices).
   */
  readonly vjp: ((context: VjpContext<A>) => readonly (Expr | undefined)[]) | 'none';
  readonly cases: readonly Case<A>[];
  /** Bytes that its nodes need besides inputs and outputs while they run; none by default. */
  scratch?(inputs: readonly Expr[], attrs: A): number;
  /** Structural key of the attributes; JSON by default. */
  key?(attrs: A): string;
}

/** An op with its attribute type erased, as nodes hold it. */
export type Op = OpDefinition<never>;

/** Makes nodes of one op. */
export interface OpBuilder<A extends object> {
  (inputs: readonly Expr[], attrs: A): Expr;
  readonly definition: OpDefinition<A>;
}

const interned = new Map<string, WeakRef<Expr>>();
const forgotten = new FinalizationRegistry<string>((key) => {
  if (!interned.get(key)?.deref()) interned.delete(key);
});
let nextId = 0;

/**
 * Declares an op. Nodes are interned: equal op, attributes and inputs give the same object, so common
 * subexpressions merge.
 */
export const defineOp = <A extends object>(definition: OpDefinition<A>): OpBuilder<A> => {
  const erased = definition as unknown as Op;
  const build = (inputs: readonly Expr[], attrs: A): Expr => {
    const key = `${definition.name}|${definition.key?.(attrs) ?? JSON.stringify(attrs)}|${inputs.map((x) => x.id).join()}`;
    const known = interned.get(key)?.deref();
    if (known) return known;
    const inferred = definition.infer(inputs, attrs);
    const outputs: readonly TensorType[] = 'dtype' in inferred ? [inferred] : inferred;
    const node: Expr = Object.freeze({ id: nextId++, op: erased, inputs, attrs, type: outputs[0], outputs });
    interned.set(key, new WeakRef(node));
    forgotten.register(node, key);
    return node;
  };
  return Object.assign(build, { definition });
};

/** The same node with other inputs. */
export const rebuild = (node: Expr, inputs: readonly Expr[]): Expr =>
  inputs.every((x, at) => x === node.inputs[at]) ? node : builderOf(node.op)(inputs, node.attrs);

const builders = new WeakMap<Op, OpBuilder<object>>();
const builderOf = (op: Op): OpBuilder<object> => {
  let builder = builders.get(op);
  if (!builder) builders.set(op, (builder = defineOp(op as unknown as OpDefinition<object>)));
  return builder;
};

/**
 * Every node that the roots need, each after its inputs; the order depends only on the roots and on
 * structure. `leaves` are not entered.
 */
export const topological = (roots: readonly Expr[], leaves?: { has(x: Expr): boolean }): Expr[] => {
  const order: Expr[] = [];
  const seen = new Set<Expr>();
  const stack: { node: Expr; next: number }[] = [];
  for (const root of roots) {
    if (seen.has(root)) continue;
    seen.add(root);
    stack.push({ node: root, next: 0 });
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const child = leaves?.has(top.node) ? undefined : top.node.inputs[top.next++];
      if (child === undefined) {
        order.push(top.node);
        stack.pop();
      } else if (!seen.has(child)) {
        seen.add(child);
        stack.push({ node: child, next: 0 });
      }
    }
  }
  return order;
};

/** Values of a host tensor, checked against its shape. */
export const host = (type: TensorType, data: ArrayLike<number>): HostTensor => {
  if (data.length !== sizeOf(type.shape))
    throw illegal('host', `${show(type)} cannot hold ${data.length} values`);
  return {
    dtype: type.dtype,
    shape: type.shape,
    data: data instanceof Float64Array ? data : Float64Array.from(data),
  };
};

/** Throws unless the input has one of these element types. */
export const expectDType = (op: string, x: Expr, ...allowed: DType[]): void => {
  if (!allowed.includes(x.type.dtype))
    throw illegal(op, `${show(x.type)} where ${allowed.join(' or ')} is needed`);
};
