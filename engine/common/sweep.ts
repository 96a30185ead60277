/** Several runs from one specification: lists of values for its numbers, and several seeds. */

/** Maximum number of runs that one specification may make at once. */
export const MOST_VARIANTS = 64;

/** A setting and the values that it takes, one a run; each value once. */
export interface Axis {
  readonly path: readonly string[];
  readonly values: readonly unknown[];
}

/** An axis; equal values make one run. */
export const axisOf = (path: readonly string[], values: readonly unknown[]): Axis => ({
  path,
  values: [...new Set(values)],
});

/** One run of a sweep: its specification, and what tells it from the others, such as `seed 1`. */
export interface Variant {
  readonly spec: Record<string, unknown>;
  readonly label: string;
}

/**
 * The items of a typed list: `0.0003, 0.001` or `1; 2`. Null for a single value; a comma without a blank after
 * it does not separate, since `0,0003` is a decimal number elsewhere.
 */
export const listItems = (text: string): readonly string[] | null => {
  const items = text.split(/,\s+|;\s*/).map((item) => item.trim());
  return items.length > 1 ? items : null;
};

const changed = (value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown => {
  const next = rest.length === 0 ? to : changed((value as never)?.[key], rest, to);
  if (Array.isArray(value)) return value.map((item, at) => (at === Number(key) ? next : (item as unknown)));
  return { ...(value as object | undefined), [key]: next };
};

/** `learning rate` of `learningRate`. */
const wordsOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Every combination of the values of all axes, first axis slowest. Without axes, the specification alone. */
export const variantsOf = (spec: Record<string, unknown>, axes: readonly Axis[]): readonly Variant[] =>
  axes.reduce<readonly Variant[]>(
    (variants, { path, values }) =>
      variants.flatMap((variant) =>
        values.map((value) => ({
          spec: changed(variant.spec, path, value) as Record<string, unknown>,
          label: [variant.label, `${wordsOf(path.at(-1) ?? '')} ${String(value)}`].filter(Boolean).join(', '),
        })),
      ),
    [{ spec, label: '' }],
  );

/** The axis of `count` seeds from the specification's own one on; none from a seed that is no number. */
export const seedAxis = (spec: Record<string, unknown>, count: number): readonly Axis[] => {
  const first = spec.seed ?? 0;
  if (typeof first !== 'number') return [];
  return count > 1 ? [{ path: ['seed'], values: Array.from({ length: count }, (_, at) => first + at) }] : [];
};

const NAME_CHARS = 200;

/** The variants, each named by what tells it from the others; a long name is cut before that. */
export const named = (variants: readonly Variant[], name: string): readonly Record<string, unknown>[] =>
  variants.map(({ spec, label }) => {
    const suffix = ` (${label})`;
    return label === '' ? spec : { ...spec, name: `${name.slice(0, NAME_CHARS - suffix.length)}${suffix}` };
  });
