/**
 * Combines several updates in one run of a graph, for devices where parameters and optimizer state cross a
 * bus in every run.
 */
import { topological, type Expr } from '../../tensor/expr.ts';
import { gather, input, loop } from '../../tensor/index.ts';
import { inputName } from '../../tensor/ops/source.ts';
import { rewrite } from '../../tensor/passes/rewrite.ts';
import type { Values } from '../../runtime/index.ts';
import type { MicroBatch } from './packing.ts';

interface Plan {
  readonly outputs: Readonly<Record<string, Expr>>;
  readonly inPlace: Readonly<Record<string, string>>;
}

/**
 * A step repeated `trips` times inside one graph: its in-place outputs are carried from iteration to
 * iteration, and inputs for which `isOwn` holds have one more leading axis with each iteration's values.
 * Other outputs have that axis too. A skipped step (non-finite loss) passes the state on unchanged.
 */
export const inOneLoop = (
  { outputs, inPlace }: Plan,
  trips: number,
  isOwn: (name: string) => boolean,
): Plan => {
  const state = new Map(
    topological(Object.values(outputs)).flatMap((x) => {
      const name = inputName(x);
      return name !== undefined && Object.values(inPlace).includes(name) ? [[name, x] as const] : [];
    }),
  );
  const { carried, scans } = loop({
    trips,
    carried: Object.fromEntries(state),
    body: (now, pass) => {
      const made = rewrite(Object.values(outputs), (node) => {
        const name = inputName(node);
        if (name === undefined) return undefined;
        if (state.has(name)) return now[name];
        const { dtype, shape } = node.type;
        return isOwn(name) ? gather(input(name, { dtype, shape: [trips, ...shape] }), pass) : undefined;
      });
      const results = new Map(Object.keys(outputs).map((output, at) => [output, made[at]]));
      const next = Object.entries(inPlace).map(([output, name]) => [name, results.get(output)!] as const);
      return {
        carried: Object.fromEntries(next),
        scans: Object.fromEntries([...results].filter(([output]) => !(output in inPlace))),
      };
    },
  });
  return {
    outputs: {
      ...scans,
      ...Object.fromEntries(Object.entries(inPlace).map(([output, name]) => [output, carried[name]])),
    },
    inPlace,
  };
};

/**
 * One shape for batches of a single micro-batch each: the largest of them. Undefined if a batch has several
 * or none, their shared prefixes differ, or the shape is too large.
 */
export const oneShape = (
  batches: readonly (readonly MicroBatch[])[],
  tokens: number,
): MicroBatch[] | undefined => {
  const rects = batches.flat();
  const shared = rects[0]?.shared;
  const [R, T] = [Math.max(...rects.map((rect) => rect.R)), Math.max(...rects.map((rect) => rect.T))];
  const alone = rects.every((rect) => rect.R === R && rect.T === T);
  const sameShape = rects.every(
    (rect) => rect.shared?.group === shared?.group && rect.shared?.prefix === shared?.prefix,
  );
  return batches.some((cuts) => cuts.length !== 1) || !sameShape || (!alone && R * T > tokens)
    ? undefined
    : rects.map(({ rows }) => ({ rows, R, T, shared }));
};

/** Concatenates arrays of one kind. */
export const joined = <V extends Values>(parts: readonly V[]): V => {
  const all = new (parts[0].constructor as new (length: number) => V)(
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    all.set(part as never, at);
    at += part.length;
  }
  return all;
};
