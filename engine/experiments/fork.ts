/** A run that continues another run's checkpoint with changed settings. */
import type { RunSpec } from '../schema/run-spec.ts';

/** Parts that the training state of a checkpoint depends on, with words for a page. */
const parts: readonly { readonly words: string; readonly of: (spec: RunSpec) => unknown }[] = [
  { words: 'the method', of: ({ method }) => method.id },
  { words: 'the initial model', of: ({ models }) => models },
  { words: 'the adapter', of: ({ adapter }) => adapter },
  { words: 'the training data', of: ({ task }) => task },
  { words: 'the optimizer', of: ({ optimizer }) => optimizer.kind },
  { words: 'the controllers', of: ({ controllers }) => controllers.map(({ id }) => id) },
];

/**
 * Reasons against continuing with the training state (optimizer, counters, order of the data) of a
 * checkpoint that `parent` made; empty if nothing does. With other seeds, rates, weights of rewards, steps or
 * sizes the state is still valid; with another method, model, optimizer or data only the weights are.
 */
export const stateObstacles = (parent: RunSpec, spec: RunSpec): readonly string[] =>
  parts
    .filter(({ of }) => canonical(of(parent)) !== canonical(of(spec)))
    .map(({ words }) => `${words} has changed`.replace('controllers has', 'controllers have'));

/** JSON with the keys of objects in order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
