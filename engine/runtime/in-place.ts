import { topological, type Expr } from '../tensor/expr.ts';
import { inputName, producer } from '../tensor/ops/source.ts';
import { sameShape } from '../tensor/types.ts';

/** Ops that read element i of an operand of the output's shape only to make element i. */
const elementwise = new Set(['add', 'sub', 'mul', 'div', 'maximum', 'minimum', 'where', 'neg', 'clip']);
/** Ops that write into the memory of an operand what they read of it no more, where they are given the same memory to write. */
const appending = new Set(['cachedAttention']);
/** Ops that the runtime may turn into another name for the same memory. */
const aliases = new Set(['reshape', 'stopGradient', 'output', 'broadcastTo', 'transpose', 'cast', 'after']);

/** What decides for one graph, so that many outputs are asked about at the cost of one walk. */
interface Facts {
  readonly roots: readonly Expr[];
  /** Which names each value is another name of: inputs' memory. */
  readonly memory: ReadonlyMap<string, ReadonlySet<Expr>>;
  /** Nodes that read an input's memory, by its name, each with its number among all of them. */
  readonly readers: ReadonlyMap<string, readonly { readonly node: Expr; readonly number: number }[]>;
  /** Bits of the readers that a node needs, directly or not, itself included. */
  readonly needed: ReadonlyMap<Expr, Uint32Array>;
}

const factsOf = (roots: readonly Expr[], names: ReadonlySet<string>): Facts => {
  const order = topological(roots);
  const memory = new Map<string, Set<Expr>>(), nameOf = new Map<Expr, string>();
  const readers = new Map<string, { node: Expr; number: number }[]>(), numbers = new Map<Expr, number>();
  for (const x of order) {
    const own = inputName(x), behind = aliases.has(x.op.name) ? nameOf.get(x.inputs[0]) : undefined;
    const name = own !== undefined && names.has(own) ? own : behind;
    if (name !== undefined) {
      nameOf.set(x, name);
      memory.set(name, (memory.get(name) ?? new Set()).add(x));
      continue;
    }
    for (const read of new Set(x.inputs.map((y) => nameOf.get(y)))) {
      if (read === undefined) continue;
      const number = numbers.get(x) ?? numbers.set(x, numbers.size).get(x)!;
      readers.set(read, [...readers.get(read) ?? [], { node: x, number }]);
    }
  }
  const words = Math.ceil(numbers.size / 32), needed = new Map<Expr, Uint32Array>();
  for (const x of order) {
    const number = numbers.get(x);
    const bits = new Uint32Array(words);
    for (const y of x.inputs) needed.get(y)?.forEach((word, at) => { bits[at] |= word; });
    if (number !== undefined) bits[number >>> 5] |= 1 << (number & 31);
    needed.set(x, bits);
  }
  return { roots, memory, readers, needed };
};

const shares = ({ roots, memory, readers, needed }: Facts, output: Expr, name: string): boolean => {
  let { node: writer } = producer(output);
  while (aliases.has(writer.op.name)) writer = producer(writer.inputs[0]).node;
  const own = memory.get(name) ?? new Set<Expr>();
  if (own.has(writer)) return false;
  const before = needed.get(writer);
  for (const { node, number } of readers.get(name) ?? []) {
    if (node === writer) {
      if (appending.has(node.op.name)) continue;
      if (!elementwise.has(node.op.name) || node.inputs.some((x) => own.has(x) && !sameShape(x.type.shape, writer.type.shape))) return false;
    } else if (!before || !(before[number >>> 5] & (1 << (number & 31)))) return false;
  }
  // Another output that is the same memory under another name would be read after the write.
  return !roots.some((root) => root !== output && own.has(root));
};

/**
 * Whether the value of each output may be written over the memory of its input while the graph runs; `places` are pairs of an output and a name.
 * It may when every read of that memory must have happened before: each reader is an ancestor of the node that writes, or is that node itself and
 * works element by element. Global-norm clipping gives this for parameters, since every update then depends on every gradient.
 */
export const mayShareAll = (places: readonly (readonly [output: Expr, name: string])[], roots: readonly Expr[]): boolean[] => {
  const facts = factsOf(roots, new Set(places.map(([, name]) => name)));
  return places.map(([output, name]) => shares(facts, output, name));
};

/** The same for one output. */
export const mayShare = (output: Expr, name: string, roots: readonly Expr[]): boolean => mayShareAll([[output, name]], roots)[0];
