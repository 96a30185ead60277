/** The longest list in the answer of a call of the store on a large workspace. */
export const longestList = (name: string): number => {
  // the rows of a source, four bytes each
  if (name.startsWith('deriving.')) return 120_000;
  // all points of some steps
  if (name === 'metrics.window') return 100_000;
  // columns of numbers over the pairs of an inspection
  if (name.startsWith('inspections.')) return 100_001;
  // a selection has a bit per row, a queue a number per item, a map a point per drawn row
  const isLong = [
    'metrics.series',
    'runFindings.answers',
    'labelSets.pairs',
    'curation.select',
    'rows.map',
    'splits.assign',
    'labelJudge.unlabeled',
  ].includes(name);
  return isLong ? 20_000 : 1000;
};

/** Lists in an answer, at its top level and one level below. */
export const listsIn = (answer: unknown): readonly { readonly length: number }[] => {
  const isList = (value: unknown): value is { readonly length: number } =>
    Array.isArray(value) || ArrayBuffer.isView(value);
  const inside = typeof answer === 'object' && answer !== null ? Object.values(answer) : [];
  return [
    answer,
    ...inside,
    ...inside.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each as object) : [],
    ),
  ].filter(isList);
};
