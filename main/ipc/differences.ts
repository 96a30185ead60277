import { canonicalJson } from '../store/json.ts';

/**
 * The leaves of a value with their paths: `optimizer.learningRate`, `rewards.0.weight`. Empty lists and
 * objects are leaves.
 */
function* leaves(value: unknown, path: readonly string[] = []): Generator<[string, unknown]> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) yield [path.join('.'), value];
  for (const [key, inner] of entries) yield* leaves(inner, [...path, key]);
}

interface FieldDifference {
  readonly path: string;
  readonly values: unknown[];
}

/**
 * Fields in which specs differ, except the name, in the spec's own order; a value is null for a spec without
 * the field or one that cannot be read.
 */
export function differences(specs: readonly unknown[]): FieldDifference[] {
  const flat = specs.map((spec) => new Map(spec === null ? [] : leaves(spec)));
  const paths = new Set(flat.flatMap((leavesOfOne) => [...leavesOfOne.keys()]));
  paths.delete('name');
  return [...paths]
    .map((path) => ({ path, values: flat.map((leavesOfOne): unknown => leavesOfOne.get(path) ?? null) }))
    .filter(({ values }) => new Set(values.map(canonicalJson)).size > 1);
}
