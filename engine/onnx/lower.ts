import { topological, type Body, type Emitter, type Expr, type NodeAttr } from '../tensor/expr.ts';
import { inputName, producer } from '../tensor/ops/source.ts';
import { illegal, sameShape, show, sizeOf, type TensorType } from '../tensor/types.ts';
import {
  bytesOf,
  writeModel,
  type Axes,
  type ExternalData,
  type OnnxAttr,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValue,
} from './model.ts';
import { replacements, type Target } from './targets.ts';

/** A lowered graph: the bytes of an ONNX model, with its inputs and outputs. */
export interface Lowered {
  readonly bytes: Uint8Array;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
}

/** Values of inputs that are fixed for one model, by name. */
export type Constants = Readonly<Record<string, Float32Array>>;
/** Names of the dynamic axes of inputs and outputs, whose length may differ from run to run. */
export type FreeAxes = Readonly<Record<string, Axes>>;
/** Locations of values fixed for one model, by input name. */
export type External = Readonly<Record<string, ExternalData>>;
export interface LowerOptions {
  readonly target?: Target;
  readonly constants?: Constants;
  readonly external?: External;
  readonly axes?: FreeAxes;
}

/**
 * Name of the first output of every CPU graph, a sequence instead of a tensor. The runtime's binding writes
 * outputs into the arrays it is given, and then copies each into a new array to return it. At a value it
 * cannot return it stops; by then every output is written and none is copied.
 */
export const unreturnable = '#unreturnable';

/**
 * Prefix of the names that the lowering makes up. Inputs and outputs of a program must not begin with it, so
 * that no two values share a name.
 */
const own = '#';
const checkName = (name: string): void => {
  if (name.startsWith(own))
    throw illegal('lower', `'${name}' begins with '${own}', as only a graph's own values do`);
};

/**
 * Lowers expressions to ONNX. Deterministic: equal graphs give equal bytes, since names are numbered in
 * topological order and expression ids are not used. Nodes that no output needs are not written. Missing
 * nodes of a target are replaced by nodes it has. Inputs named in `constants` are written into the model
 * with their values, those named in `external` with the location of theirs; neither is fed. Axes with a name
 * in `axes` are dynamic: the length in the graph is only an example.
 */
export const lower = (
  name: string,
  outputs: Readonly<Record<string, Expr>>,
  { target = 'cpu', constants = {}, external = {}, axes = {} }: LowerOptions = {},
): Lowered => {
  const scope = new Scope({ values: 0 }, target);
  const inputs = new Map<string, TensorType>();
  const names = Object.keys(outputs);
  const roots = names.map((key) => outputs[key]);
  names.forEach(checkName);
  for (const node of topological(roots)) {
    const key = inputName(node);
    if (key === undefined) continue;
    const before = inputs.get(key);
    if (before && (before.dtype !== node.type.dtype || !sameShape(before.shape, node.type.shape)))
      throw illegal('input', `'${key}' is both ${show(before)} and ${show(node.type)}`);
    checkName(key);
    if (key in outputs) throw illegal('lower', `'${key}' names an input and an output`);
    scope.bind(node, [key]);
    if (key in constants) scope.fix(key, node.type, constants[key]);
    else if (key in external) scope.fix(key, node.type, external[key]);
    else inputs.set(key, node.type);
  }
  scope.emitAll(roots);
  const results = names.map((key) => ({
    ...outputs[key].type,
    name: key,
    ...(axes[key] && { axes: axes[key] }),
  }));
  roots.forEach((root, at) => scope.output(root, names[at]));
  // a device that keeps its outputs in its own memory gains nothing from that
  const sequence = target === 'webgpu' ? undefined : unreturnable;
  if (sequence !== undefined) scope.sequence(sequence);
  const graph = scope.graph(
    name,
    [...inputs].map(([key, type]) => ({ ...type, name: key, ...(axes[key] && { axes: axes[key] }) })),
    results,
  );
  return {
    bytes: writeModel({ ...graph, ...(sequence !== undefined && { sequence }) }),
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(names.map((key) => [key, outputs[key].type])),
  };
};

/** Writer of one graph; a loop body is a nested scope that sees the names outside it. */
class Scope implements Emitter {
  readonly #counter: { values: number };
  readonly #target: Target;
  readonly #names = new Map<Expr, readonly string[]>();
  readonly #nodes: OnnxNode[] = [];
  readonly #initializers = new Map<string, OnnxTensor>();
  readonly #renamed = new Map<string, string>();

  /** The expression being written, and the names of its inputs. */
  #current: { readonly node: Expr; readonly names: readonly string[] } | undefined;

  constructor(counter: { values: number }, target: Target) {
    this.#counter = counter;
    this.#target = target;
  }

  #fresh(): string {
    return `${own}${this.#counter.values++}`;
  }

  bind(x: Expr, names: readonly string[]): void {
    this.#names.set(x, names);
  }

  fix(name: string, { dtype, shape }: TensorType, data: Float32Array | ExternalData): void {
    const fits =
      'file' in data
        ? data.bytes === bytesOf[dtype] * sizeOf(shape)
        : dtype === 'float32' && data.length === sizeOf(shape);
    if (!fits)
      throw illegal(
        'lower',
        `'${name}' is ${show({ dtype, shape })}, and not ` +
          `${'file' in data ? `${data.bytes} bytes` : `${data.length} numbers`}`,
      );
    this.#initializers.set(`input|${name}`, { name, dtype, shape, data });
  }

  emitAll(roots: readonly Expr[]): void {
    for (const node of topological(roots, this.#names)) {
      if (this.#names.has(node) || node.op.name === 'output') continue;
      const names = node.inputs.map((x) => this.#nameOf(x));
      this.#current = { node, names };
      const made = node.op.emit(this, names, node.attrs as never, node);
      this.#names.set(node, typeof made === 'string' ? [made] : made);
    }
  }

  /**
   * Gives a value the name of a graph output. A value made by a node of this graph is renamed in place,
   * since the runtime does not always remove a copy; an input, a constant, or a value that needs two names
   * is copied.
   */
  output(x: Expr, name: string): void {
    const made = this.#nameOf(x);
    if (this.#renamed.has(made) || !this.#nodes.some(({ outputs }) => outputs.includes(made))) {
      this.#nodes.push({
        type: 'Identity',
        domain: '',
        name: `n_${name}`,
        inputs: [made],
        outputs: [name],
        attrs: {},
      });
    } else this.#renamed.set(made, name);
  }

  sequence(name: string): void {
    const zero = this.tensor({ dtype: 'float32', shape: [] }, [0]);
    this.#nodes.push({
      type: 'SequenceConstruct',
      domain: '',
      name: `n_${name}`,
      inputs: [zero],
      outputs: [name],
      attrs: {},
    });
  }

  graph(name: string, inputs: readonly OnnxValue[], outputs: readonly OnnxValue[]): OnnxGraph {
    return renamed(
      { name, nodes: this.#nodes, initializers: [...this.#initializers.values()], inputs, outputs },
      this.#renamed,
    );
  }

  node(
    type: string,
    inputs: readonly string[],
    attrs: Readonly<Record<string, NodeAttr>> = {},
    domain = '',
  ): string {
    return this.nodes(type, inputs, 1, attrs, domain)[0];
  }

  nodes(
    type: string,
    inputs: readonly string[],
    outputs: number,
    attrs: Readonly<Record<string, NodeAttr>> = {},
    domain = '',
  ): string[] {
    const replaced =
      this.#current && replacements[this.#target][type]?.(this, { inputs, outputs, attrs, ...this.#current });
    if (replaced) return [...replaced];
    const names = Array.from({ length: outputs }, () => this.#fresh());
    this.#nodes.push({
      type,
      domain,
      name: `n_${names[0]}`,
      inputs,
      outputs: names,
      attrs: attrs as Readonly<Record<string, OnnxAttr>>,
    });
    return names;
  }

  tensor({ dtype, shape }: TensorType, data: ArrayLike<number>): string {
    const key = `${dtype}|${shape.join()}|${Array.from(data, (x) => (Object.is(x, -0) ? '-0' : x)).join()}`;
    const known = this.#initializers.get(key);
    if (known) return known.name;
    const name = this.#fresh();
    this.#initializers.set(key, { name, dtype, shape, data });
    return name;
  }

  subgraph({ name, parameters, bound, results }: Body): { readonly graph: OnnxGraph } {
    const inner = new Scope(this.#counter, this.#target);
    for (const [x, outer] of bound) inner.bind(x, [outer]);
    const inputs = parameters.map((x) => {
      const inside = this.#fresh();
      inner.bind(x, [inside]);
      return { ...x.type, name: inside };
    });
    inner.emitAll(results);
    const outputs = results.map((x) => {
      const inside = this.#fresh();
      inner.output(x, inside);
      return { ...x.type, name: inside };
    });
    return { graph: inner.graph(name, inputs, outputs) };
  }

  #nameOf(x: Expr): string {
    const bound = this.#names.get(x);
    if (bound) return bound[0];
    const { node, index } = producer(x);
    return this.#names.get(node)![index];
  }
}

/** The graph with some values renamed at every use, nested graphs included. */
const renamed = (graph: OnnxGraph, names: ReadonlyMap<string, string>): OnnxGraph =>
  names.size === 0
    ? graph
    : {
        ...graph,
        nodes: graph.nodes.map((node) => ({
          ...node,
          inputs: node.inputs.map((name) => names.get(name) ?? name),
          outputs: node.outputs.map((name) => names.get(name) ?? name),
          attrs: Object.fromEntries(
            Object.entries(node.attrs).map(([key, value]) => [
              key,
              typeof value === 'object' && 'graph' in value ? { graph: renamed(value.graph, names) } : value,
            ]),
          ),
        })),
      };
