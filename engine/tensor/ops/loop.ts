import { evaluate } from '../evaluate.ts';
import { defineOp, host, topological, type Expr, type HostTensor } from '../expr.ts';
import { illegal, sameShape, show, sizeOf, type DType, type Shape } from '../types.ts';
import { cast } from './logic.ts';
import { outputOf } from './source.ts';

const parameterOp = defineOp<{ loop: number; slot: number; dtype: DType; shape: Shape }>({
  name: 'loopParameter',
  infer: (_, { dtype, shape }) => ({ dtype, shape }),
  eval: () => {
    throw illegal('loopParameter', 'has a value only inside its loop');
  },
  emit: () => {
    throw illegal(
      'loopParameter',
      'is used outside its loop; return it from the body as carried state or as a scan',
    );
  },
  vjp: () => [],
  cases: [],
});

/** Attributes of a loop node. Its inputs are the initial state followed by the captured outer values. */
export interface LoopAttrs {
  readonly loop: number;
  readonly trips: number;
  /** ONNX's own order: iteration (int64), condition (bool), carried state. */
  readonly parameters: readonly Expr[];
  /** Names of outer values inside the body; `captured[i]` stands for `inputs[carried + i]`. */
  readonly captured: readonly Expr[];
  /** Condition, next state, scanned values. */
  readonly results: readonly Expr[];
}

const loopOp = defineOp<LoopAttrs>({
  name: 'loop',
  infer: (_, { trips, parameters, results }) => {
    const carried = parameters.slice(2).map((x) => x.type);
    return [
      ...carried,
      ...results
        .slice(1 + carried.length)
        .map(({ type: { dtype, shape } }) => ({ dtype, shape: [trips, ...shape] })),
    ];
  },
  eval: (inputs, { trips, parameters, captured, results }, outputs) => {
    const count = parameters.length - 2;
    const outer = captured.map((x, at) => [x, inputs[count + at]] as const);
    const scans = outputs.slice(count).map((type) => host(type, new Float64Array(sizeOf(type.shape))));
    let state: HostTensor[] = inputs.slice(0, count);
    for (let trip = 0; trip < trips; trip++) {
      const own = [host(parameters[0].type, [trip]), host(parameters[1].type, [1]), ...state].map(
        (value, at) => [parameters[at], value] as const,
      );
      const values = evaluate(results, {}, new Map([...outer, ...own]));
      state = values.slice(1, 1 + count);
      values.slice(1 + count).forEach(({ data }, at) => scans[at].data.set(data, trip * data.length));
    }
    return [...state, ...scans];
  },
  emit: (g, inputs, { trips, parameters, captured, results }, node) => {
    const count = parameters.length - 2;
    const bound = new Map(captured.map((x, at) => [x, inputs[count + at]] as const));
    const body = g.subgraph({ name: 'body', parameters, bound, results });
    return g.nodes(
      'Loop',
      [g.tensor({ dtype: 'int64', shape: [] }, [trips]), '', ...inputs.slice(0, count)],
      node.outputs.length,
      { body },
    );
  },
  vjp: () => {
    throw illegal('grad', 'a loop has no gradient; put stopGradient on what it makes');
  },
  cases: [],
  key: ({ loop, results }) => `${loop}:${results.map((x) => x.id).join()}`,
});

/** Results of one iteration of a loop body. */
export interface LoopPass<State extends Record<string, Expr>, Scans extends Record<string, Expr>> {
  /** The next state: the same names and types as `carried`. */
  readonly carried: State;
  /** Values collected from every iteration; outside they have one more leading axis, of length `trips`. */
  readonly scans?: Scans;
}

let loops = 0;

/**
 * Runs a body a fixed number of times inside the graph, as one ONNX `Loop`: generation without a round trip
 * per token.
 *
 * * `carried` is the state before the first pass; the body receives it as expressions and returns the next
 *   one under the same names, with the same shapes (static: do not grow a buffer, but shift it with
 *   `concat([slice(old, …), new])`, or write with `where(equal(iota(T), position), new, old)`).
 * * `iteration` is 0, 1, … as int32 of rank 0. `gather(table, iteration)` reads one row per pass: feed
 *   uniform numbers as [trips, B].
 * * The body may use any expression from outside: weights, a prompt's cache, constants. What does not depend
 *   on the state or the iteration is computed once, before the loop (loop-invariant code moves out by
 *   itself).
 * * Carried state is copied once per pass, outer values never are. So keep the cache of the prompt outside,
 *   carry only the chunk of tokens made in this loop (16–32), attend over both, and join them between runs: a
 *   loop returns nothing before it ends anyway.
 * * Loops nest. They have no gradient: `grad` refuses to walk through one.
 *
 *     const { carried, scans } = loop({
 *       trips: 16,
 *       carried: { token: lastToken_B, cache: emptyChunk },
 *       body: ({ token, cache }, iteration) => {
 *         const { logits, next } = decode(token, cache, iteration);
 *         const sampled = argmax(logits);
 *         return { carried: { token: sampled, cache: next }, scans: { sampled } };
 *       },
 *     });   // scans.sampled: int32[16, B]
 */
export const loop = <
  State extends Record<string, Expr>,
  Scans extends Record<string, Expr> = Record<string, never>,
>({
  trips,
  carried,
  body,
}: {
  readonly trips: number;
  readonly carried: State;
  readonly body: (
    state: { readonly [K in keyof State]: Expr },
    iteration: Expr,
  ) => LoopPass<{ [K in keyof State]: Expr }, Scans>;
}): {
  readonly carried: { readonly [K in keyof State]: Expr };
  readonly scans: { readonly [K in keyof Scans]: Expr };
} => {
  const id = loops++;
  if (!Number.isInteger(trips) || trips < 1) throw illegal('loop', `${trips} passes; at least one is needed`);
  const names = Object.keys(carried);
  const parameter = (slot: number, { dtype, shape }: Expr['type']) =>
    parameterOp([], { loop: id, slot, dtype, shape });
  const iteration = parameter(0, { dtype: 'int64', shape: [] });
  const condition = parameter(1, { dtype: 'bool', shape: [] });
  const state = names.map((name, at) => parameter(2 + at, carried[name].type));
  const pass = body(
    Object.fromEntries(names.map((name, at) => [name, state[at]])) as { [K in keyof State]: Expr },
    cast(iteration, 'int32'),
  );
  const next = names.map((name) => {
    const x = pass.carried[name];
    if (!x || x.type.dtype !== carried[name].type.dtype || !sameShape(x.type.shape, carried[name].type.shape))
      throw illegal(
        'loop',
        `state '${name}' starts as ${show(carried[name].type)} and comes back as ${x ? show(x.type) : 'nothing'}`,
      );
    return x;
  });
  const scanNames = Object.keys(pass.scans ?? {});
  const parameters = [iteration, condition, ...state];
  const results = [condition, ...next, ...scanNames.map((name) => pass.scans![name])];
  const captured = capturedBy(results, parameters);
  const node = loopOp([...names.map((name) => carried[name]), ...captured], {
    loop: id,
    trips,
    parameters,
    captured,
    results,
  });
  const out = (keys: readonly string[], from: number) =>
    Object.fromEntries(keys.map((name, at) => [name, outputOf(node, from + at)]));
  return { carried: out(names, 0), scans: out(scanNames, names.length) } as ReturnType<
    typeof loop<State, Scans>
  >;
};

/**
 * The outer values that a body needs: inputs of loop-dependent nodes that do not themselves depend on the
 * loop.
 */
const capturedBy = (results: readonly Expr[], parameters: readonly Expr[]): Expr[] => {
  const inner = new Set(parameters);
  const border = new Set<Expr>();
  for (const node of topological(results)) if (node.inputs.some((x) => inner.has(x))) inner.add(node);
  for (const node of inner) for (const x of node.inputs) if (!inner.has(x)) border.add(x);
  for (const x of results) if (!inner.has(x)) border.add(x);
  return [...border];
};

export const loopOps = [loopOp];
export const loopStructuralOps = [parameterOp];
/** The attributes of a loop node, or undefined for any other node. */
export const bodyOf = (x: Expr): LoopAttrs | undefined =>
  x.op.name === 'loop' ? (x.attrs as LoopAttrs) : undefined;

/** The same loop with other results, which may read its parameters and captured values. */
export const withBody = (x: Expr, results: readonly Expr[]): Expr => {
  const attrs = x.attrs as LoopAttrs;
  return results.every((result, at) => result === attrs.results[at])
    ? x
    : loopOp(x.inputs, { ...attrs, results });
};
