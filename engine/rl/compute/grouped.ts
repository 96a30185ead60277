/**
 * A model's flat parameters as inputs of a graph: views of the one array, a large tensor alone and small
 * neighbours together.
 */
import { adapted } from '../../models/adapters/lora.ts';
import type { FrozenBase } from '../../models/inputs.ts';
import { lookup, type Lookup } from '../../models/symbols.ts';
import type { Group } from '../../optim/index.ts';
import { input, unflatten, type Expr } from '../../tensor/index.ts';

const nameOf = (prefix: string, at: number): string => `${prefix}/${at}`;

/** One input per group, `prefix/<position>`. */
export const groupInputs = (groups: readonly Group[], prefix: string): Record<string, Expr> =>
  Object.fromEntries(
    groups.map(({ shape }, at) => [
      nameOf(prefix, at),
      input(nameOf(prefix, at), { dtype: 'float32', shape }),
    ]),
  );

/** Feeds for them: views, no copies. */
export const groupFeeds = (
  groups: readonly Group[],
  prefix: string,
  flat: Float32Array,
): Record<string, Float32Array> =>
  Object.fromEntries(
    groups.map(({ offset, size }, at) => [nameOf(prefix, at), flat.subarray(offset, offset + size)]),
  );

/** Parameters by their own names, from `groupInputs`. */
export const groupLookup = (groups: readonly Group[], prefix: string): Lookup => {
  const inputs = Object.values(groupInputs(groups, prefix));
  const found = new Map(
    groups.flatMap(({ slots }, at) => {
      const parts =
        slots.length === 1
          ? [inputs[at]]
          : unflatten(
              inputs[at],
              slots.map(({ shape }) => shape),
            );
      return slots.map(({ name }, i): [string, Expr] => [name, parts[i]]);
    }),
  );
  return lookup(found);
};

/** A whole model: the trained adapter combined with its frozen base. */
export const withFrozenBase = (base: FrozenBase | undefined, trained: Lookup): Lookup =>
  base ? adapted(base.inputs.lookup(), trained, base.settings) : trained;
