import { topological, type Expr } from '../tensor/expr.ts';
import { inputName, producer } from '../tensor/ops/source.ts';
import { sameShape } from '../tensor/types.ts';

/** Ops that read element i of an operand of the output's shape only to make element i. */
const elementwise = new Set(['add', 'sub', 'mul', 'div', 'maximum', 'minimum', 'where', 'neg', 'clip']);
/** Ops that can write into an operand's memory, because they have finished reading the overwritten part. */
const appending = new Set(['cachedAttention']);
/** Ops that the runtime may turn into aliases of their operand's memory. */
const aliases = new Set(['reshape', 'stopGradient', 'output', 'broadcastTo', 'transpose', 'cast', 'after']);

/** An output, and the name of the input whose memory it overwrites. */
type Place = readonly [output: Expr, name: string];

/**
 * Facts about one graph, so that checking many outputs costs one walk. A memory is identified by the name of
 * an input, or by the output that another one overwrites.
 */
interface Facts {
  readonly roots: readonly Expr[];
  readonly places: readonly Place[];
  /** The memory that a value aliases. */
  readonly nameOf: ReadonlyMap<Expr, string | Expr>;
  /** Readers of each memory, each with its number among all readers. */
  readonly readers: ReadonlyMap<string | Expr, readonly { readonly node: Expr; readonly number: number }[]>;
  /** Bits of the readers that a node needs, directly or not, itself included. */
  readonly needed: ReadonlyMap<Expr, Uint32Array>;
}

const factsOf = (places: readonly Place[], roots: readonly Expr[]): Facts => {
  const order = topological(roots);
  const names = new Set(places.map(([, name]) => name));
  const written = new Set(places.map(([output]) => output));
  const nameOf = new Map<Expr, string | Expr>();
  const readers = new Map<string | Expr, { node: Expr; number: number }[]>();
  const numbers = new Map<Expr, number>();
  for (const x of order) {
    const own = inputName(x);
    const behind = aliases.has(x.op.name) ? nameOf.get(x.inputs[0]) : undefined;
    const name = own !== undefined && names.has(own) ? own : behind;
    if (name !== undefined || written.has(x)) nameOf.set(x, name ?? x);
    if (name !== undefined) continue;
    for (const read of new Set(x.inputs.map((y) => nameOf.get(y)))) {
      if (read === undefined) continue;
      const number = numbers.get(x) ?? numbers.set(x, numbers.size).get(x)!;
      readers.set(read, [...(readers.get(read) ?? []), { node: x, number }]);
    }
  }
  const words = Math.ceil(numbers.size / 32);
  const needed = new Map<Expr, Uint32Array>();
  for (const x of order) {
    const number = numbers.get(x);
    const bits = new Uint32Array(words);
    for (const y of x.inputs)
      needed.get(y)?.forEach((word, at) => {
        bits[at] |= word;
      });
    if (number !== undefined) bits[number >>> 5] |= 1 << (number & 31);
    needed.set(x, bits);
  }
  return { roots, places, nameOf, readers, needed };
};

/** The node that computes a value, behind its aliases. */
const writerOf = (output: Expr): Expr => {
  let { node } = producer(output);
  while (aliases.has(node.op.name)) node = producer(node.inputs[0]).node;
  return node;
};

/**
 * The value that an output overwrites: an earlier output in the same memory if its writer reads one, else
 * the input.
 */
const sourceOf = ({ places, nameOf }: Facts, [output, name]: Place): string | Expr => {
  const read = new Set(writerOf(output).inputs.map((x) => nameOf.get(x)));
  return places.find(([other, into]) => into === name && other !== output && read.has(other))?.[0] ?? name;
};

const shares = (facts: Facts, place: Place): boolean => {
  const { roots, places, nameOf, readers, needed } = facts;
  const [output, name] = place;
  const writer = writerOf(output);
  const source = sourceOf(facts, place);
  const own = (x: Expr): boolean => nameOf.get(x) === source;
  if (own(writer)) return false;
  const before = needed.get(writer);
  for (const { node, number } of readers.get(source) ?? []) {
    if (node === writer) {
      if (appending.has(node.op.name)) continue;
      if (
        !elementwise.has(node.op.name) ||
        node.inputs.some((x) => own(x) && !sameShape(x.type.shape, writer.type.shape))
      )
        return false;
    } else if (!before || !(before[number >>> 5] & (1 << (number & 31)))) return false;
  }
  // Of two outputs over one value the later would overwrite the earlier; another output that aliases the same
  // memory would be read after the write.
  if (places.some((other) => other !== place && other[1] === name && sourceOf(facts, other) === source))
    return false;
  return !roots.some((root) => root !== output && root !== source && own(root));
};

/**
 * True if each output may be written over the memory of its input while the graph runs; `places` are pairs
 * of an output and a name. It may if every read of that memory must have happened before: each reader is an
 * ancestor of the node that writes, or is that node itself and works element by element. Global-norm
 * clipping gives this for parameters, since every update then depends on every gradient. If an output is
 * made from another one in the same memory, it is the latter's value that must have been read: the memory
 * finally holds the last of such a chain.
 */
export const mayShareAll = (places: readonly Place[], roots: readonly Expr[]): boolean[] => {
  const facts = factsOf(places, roots);
  return places.map((place) => shares(facts, place));
};

/** The same for one output. */
export const mayShare = (output: Expr, name: string, roots: readonly Expr[]): boolean =>
  mayShareAll([[output, name]], roots)[0];
