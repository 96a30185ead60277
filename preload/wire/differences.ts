/** One field in which specifications differ. */
export interface Difference {
  readonly path: string;
  /** One per run; null: its specification has no such field. */
  readonly values: readonly unknown[];
  /** One per run: the name of the checkpoint, dataset, label set or model that a value refers to, else null. */
  readonly names: readonly (string | null)[];
}

/** A run's value of the field as text: the name of what it refers to, a dash for none. */
export function valueText({ values, names }: Difference, run: number): string {
  const value = values[run];
  if (value === null || value === undefined) return '–';
  return names[run] ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

/** Keys that choose a method, a model, data …, on which their other fields depend. */
const choosers = ['id', 'kind'];
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));
const keyOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** True if runs chose another method, model, data … than each other somewhere above this field. */
const isOfOtherChoice = (path: string, run: number, other: number, all: readonly Difference[]): boolean => {
  const at = (where: string, of: number): unknown =>
    all.find((each) => each.path === where)?.values[of] ?? null;
  for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent))
    for (const chooser of choosers.map((key) => `${parent}.${key}`))
      if (chooser !== path && at(chooser, run) !== at(chooser, other)) return true;
  return false;
};

/** True if the field does not apply to a run: its method, model or data has no such parameter. */
export function doesNotApply({ path, values }: Difference, run: number, all: readonly Difference[]): boolean {
  const has = values.findIndex((value) => value !== null);
  return values[run] === null && has >= 0 && isOfOtherChoice(path, run, has, all);
}

/**
 * True if the runs differ in this field by more than in what they use: a parameter that only the methods
 * (models, scorers …) of some runs have, with one value, is no difference of its own.
 */
function isReal({ path, values }: Difference, all: readonly Difference[]): boolean {
  const given = values.filter((value) => value !== null);
  const isName = keyOf(path).endsWith('Id') || (keyOf(path) === 'id' && !path.includes('.params.'));
  if (isName || new Set(given.map((value) => JSON.stringify(value))).size > 1) return true;
  const has = values.findIndex((value) => value !== null);
  /** An empty list or object in one run, which has entries in the other. */
  const hasEntries = (run: number): boolean =>
    all.some((each) => each.path.startsWith(`${path}.`) && each.values[run] !== null);
  return values.some(
    (value, run) => value === null && !isOfOtherChoice(path, run, has, all) && !hasEntries(run),
  );
}

/** The differences that say something: without those that follow from the choice of a method, model or data. */
export const realDifferences = (all: readonly Difference[]): readonly Difference[] =>
  all.filter((each) => isReal(each, all));
