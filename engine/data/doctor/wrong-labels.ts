import { WhetstoneError } from '../../common/errors.ts';

export interface JudgedLabels {
  readonly ids: readonly string[];
  /** Class of each row, from 0. */
  readonly labels: ArrayLike<number>;
  /** N × K, row by row: probability of each class by a model that did not train on the row. */
  readonly probabilities: ArrayLike<number>;
  readonly classes: number;
}

export interface WrongLabel {
  readonly id: string;
  readonly given: number;
  /** The most probable other class. */
  readonly suggested: number;
  /** p(given) − p(suggested), in −1 … 1: the lower, the likelier wrong. */
  readonly margin: number;
}

export interface ConfidentLearning {
  /** Mean probability of each class over the rows labeled with it; NaN without any. */
  readonly thresholds: readonly number[];
  /** `confidentJoint[given][true]`: counts of rows that exceed the threshold of a class. */
  readonly confidentJoint: readonly (readonly number[])[];
  /** Estimated joint distribution of given and true label; sums to 1. */
  readonly joint: readonly (readonly number[])[];
  /** Estimated share of wrong labels: the joint off its diagonal. */
  readonly noise: number;
  /** Rows to look at, likeliest wrong first. */
  readonly wrong: readonly WrongLabel[];
}

/**
 * `class`: of each given class, the rows with the lowest probability of it. `rate`: of each cell, the rows
 * with the largest margin. `both`: those that both choose.
 */
export type Pruning = 'class' | 'rate' | 'both';

const checked = ({ ids, labels, probabilities, classes }: JudgedLabels): void => {
  const refuse = (message: string, where: string): never => {
    throw new WhetstoneError('invalid-input', message, { where });
  };
  if (!Number.isSafeInteger(classes) || classes < 2) refuse('Labels need at least two classes.', 'classes');
  if (labels.length !== ids.length || probabilities.length !== ids.length * classes)
    refuse(`Every row needs a label and ${classes} probabilities.`, 'probabilities');
  for (let i = 0; i < ids.length; i++) {
    if (!Number.isSafeInteger(labels[i]) || labels[i] < 0 || labels[i] >= classes)
      refuse(`Row '${ids[i]}' has the label ${labels[i]}, which is none of ${classes} classes.`, 'labels');
    for (let j = 0; j < classes; j++) {
      const p = probabilities[i * classes + j];
      if (!(p >= 0 && p <= 1))
        refuse(`Row '${ids[i]}' has ${p} as a probability, which must lie between 0 and 1.`, 'probabilities');
    }
  }
};

const square = (size: number): number[][] => Array.from({ length: size }, () => Array<number>(size).fill(0));

/** Thresholds t_j and the confident joint C (equations 1 and 2). */
const confidentJointOf = ({ ids, labels, probabilities, classes }: JudgedLabels) => {
  const sums = new Float64Array(classes);
  const counts = new Float64Array(classes);
  for (let i = 0; i < ids.length; i++) {
    sums[labels[i]] += probabilities[i * classes + labels[i]];
    counts[labels[i]]++;
  }
  const thresholds = Array.from(sums, (sum, j) => sum / counts[j]);
  const confidentJoint = square(classes);
  for (let i = 0; i < ids.length; i++) {
    let best = -1;
    for (let j = 0; j < classes; j++) {
      const p = probabilities[i * classes + j];
      if (p >= thresholds[j] && (best < 0 || p > probabilities[i * classes + best])) best = j;
    }
    if (best >= 0) confidentJoint[labels[i]][best]++;
  }
  return { thresholds, counts, confidentJoint };
};

/** The joint distribution: rows of C scaled to the counts of the given labels, then to a sum of 1 (equation 3). */
const jointOf = (
  confidentJoint: readonly (readonly number[])[],
  counts: Float64Array,
  n: number,
): number[][] =>
  confidentJoint.map((row, given) => {
    const total = row.reduce((sum, count) => sum + count, 0);
    return row.map((count, j) => {
      const share = total > 0 ? count / total : Number(given === j);
      return n === 0 ? 0 : (share * counts[given]) / n;
    });
  });

interface Judged extends WrongLabel {
  readonly row: number;
  readonly confidence: number;
}

const judgedRows = ({ ids, labels, probabilities, classes }: JudgedLabels): Judged[] =>
  ids.map((id, row) => {
    const of = (j: number) => probabilities[row * classes + j];
    const given = labels[row];
    let suggested = given === 0 ? 1 : 0;
    for (let j = 0; j < classes; j++) if (j !== given && of(j) > of(suggested)) suggested = j;
    return { row, id, given, suggested, confidence: of(given), margin: of(given) - of(suggested) };
  });

/** Rows pruned by class: the n · Σ_j Q[i][j≠i] least confident of each given class (section 3.2). */
const byClass = (rows: readonly Judged[], joint: readonly (readonly number[])[]): Set<number> =>
  new Set(
    joint.flatMap((row, given) => {
      const count = Math.round(rows.length * row.reduce((sum, q, j) => sum + (j === given ? 0 : q), 0));
      return rows
        .filter((one) => one.given === given)
        .sort((a, b) => a.confidence - b.confidence || a.row - b.row)
        .slice(0, count)
        .map((one) => one.row);
    }),
  );

/** Rows pruned by noise rate: the n · Q[i][j] with the largest p_j − p_i of each cell off the diagonal. */
const byRate = (
  rows: readonly Judged[],
  joint: readonly (readonly number[])[],
  { probabilities, classes }: JudgedLabels,
): Set<number> =>
  new Set(
    joint.flatMap((row, given) =>
      row.flatMap((q, j) => {
        if (j === given) return [];
        const gap = (one: Judged) => probabilities[one.row * classes + j] - one.confidence;
        return rows
          .filter((one) => one.given === given)
          .sort((a, b) => gap(b) - gap(a) || a.row - b.row)
          .slice(0, Math.round(rows.length * q))
          .map((one) => one.row);
      }),
    ),
  );

/**
 * Likely wrong labels by confident learning (Northcutt, Jiang and Chuang 2021, "Confident learning:
 * estimating uncertainty in dataset labels"): per-class thresholds, the confident joint, its calibration and
 * pruning, over probabilities of a judge that was cross-validated. Rows whose given label is the judge's own
 * choice are never listed. Throws `invalid-input` for probabilities that are none.
 */
export const confidentLearning = (data: JudgedLabels, pruning: Pruning = 'rate'): ConfidentLearning => {
  checked(data);
  const { thresholds, counts, confidentJoint } = confidentJointOf(data);
  const joint = jointOf(confidentJoint, counts, data.ids.length);
  const rows = judgedRows(data);
  const chosen = {
    class: () => [byClass(rows, joint)],
    rate: () => [byRate(rows, joint, data)],
    both: () => [byClass(rows, joint), byRate(rows, joint, data)],
  }[pruning]();
  return {
    thresholds,
    confidentJoint,
    joint,
    noise: joint.reduce((sum, row, given) => sum + row.reduce((s, q, j) => s + (j === given ? 0 : q), 0), 0),
    wrong: rows
      .filter(({ row, margin }) => margin < 0 && chosen.every((set) => set.has(row)))
      .sort((a, b) => a.margin - b.margin || a.row - b.row)
      .map(({ id, given, suggested, margin }) => ({ id, given, suggested, margin })),
  };
};
