import { WhetstoneError } from '../common/errors.ts';
import { notEmpty, notNegative, whole } from './inputs.ts';

/** One label that one labeler gave to one item; a labeler may label an item more than once, or not at all. */
export interface GivenLabel {
  readonly item: string;
  readonly labeler: string;
  readonly label: string;
}

export interface DawidSkeneOptions {
  /** The labels; by default those given, in the order in which they appear. */
  readonly labels?: readonly string[];
  /** Added to each cell of a confusion matrix and to each class; 0 is the maximum-likelihood estimate. */
  readonly smoothing?: number;
  readonly iterations?: number;
  /** Stops when an iteration raises the log-likelihood by less than this, in nats. */
  readonly tolerance?: number;
}

export interface LabelerEstimate {
  readonly labeler: string;
  /** Labels that the labeler gave. */
  readonly given: number;
  /** `confusion[true][given]`: each row sums to 1. */
  readonly confusion: readonly (readonly number[])[];
  /** Probability that a label of this labeler is the true one, for items of the estimated mixture. */
  readonly reliability: number;
}

export interface ItemEstimate {
  readonly item: string;
  /** Probability of each label, in the order of `labels`. */
  readonly posterior: readonly number[];
  /** The most probable label; the first of several equal ones. */
  readonly label: string;
}

export interface DawidSkeneFit {
  readonly labels: readonly string[];
  readonly priors: readonly number[];
  readonly labelers: readonly LabelerEstimate[];
  readonly items: readonly ItemEstimate[];
  /** Of the given labels, in nats, without the multinomial constants. */
  readonly logLikelihood: number;
  readonly iterations: number;
  readonly converged: boolean;
}

/** Items with the same labels of the same labelers have the same posterior, and are one entry. */
interface Votes {
  readonly classes: number;
  readonly labelers: readonly string[];
  /** The entry of each item. */
  readonly entries: ReadonlyMap<string, number>;
  /** Number of items of each entry. */
  readonly times: Float64Array;
  /** The labels of each entry: its number, the labeler and the label. */
  readonly item: Int32Array;
  readonly labeler: Int32Array;
  readonly label: Int32Array;
}

interface Parameters {
  readonly priors: Float64Array;
  /** [labeler, true, given] */
  readonly confusion: Float64Array;
}

const indexOf = (names: readonly string[]) => {
  const found = new Map(names.map((name, at) => [name, at]));
  return (name: string): number => {
    const at = found.get(name);
    if (at === undefined)
      throw new WhetstoneError('invalid-input', `'${name}' is none of the labels.`, { where: 'labels' });
    return at;
  };
};

const votesOf = (given: readonly GivenLabel[], labels: readonly string[]): Votes => {
  const labelers = [...new Set(given.map(({ labeler }) => labeler))];
  const [labelerAt, labelAt] = [indexOf(labelers), indexOf(labels)];
  const votes = new Map<string, number[]>();
  for (const { item, labeler, label } of given) {
    const vote = labelerAt(labeler) * labels.length + labelAt(label);
    const own = votes.get(item);
    if (own) own.push(vote);
    else votes.set(item, [vote]);
  }
  const known = new Map<string, number>();
  const [entries, times] = [new Map<string, number>(), [] as number[]];
  const found: { entry: number; vote: number }[] = [];
  for (const [item, own] of votes) {
    const key = own.sort((a, b) => a - b).join();
    const entry = known.get(key) ?? known.size;
    if (entry === known.size) for (const vote of own) found.push({ entry, vote });
    known.set(key, entry);
    entries.set(item, entry);
    times[entry] = (times[entry] ?? 0) + 1;
  }
  return {
    classes: labels.length,
    labelers,
    entries,
    times: Float64Array.from(times),
    item: Int32Array.from(found, ({ entry }) => entry),
    labeler: Int32Array.from(found, ({ vote }) => Math.floor(vote / labels.length)),
    label: Int32Array.from(found, ({ vote }) => vote % labels.length),
  };
};

/** Each item's share of votes for each label [item, label]: where the algorithm starts (equation 3.1). */
const voteShares = ({ classes, times, item, label }: Votes): Float64Array => {
  const shares = new Float64Array(times.length * classes);
  const total = new Float64Array(times.length);
  item.forEach((i, v) => {
    shares[i * classes + label[v]]++;
    total[i]++;
  });
  return shares.map((n, at) => n / total[Math.floor(at / classes)]);
};

/** Maximisation: confusion matrices and priors from posteriors (equations 2.3 and 2.4). */
const maximised = (votes: Votes, posteriors: Float64Array, smoothing: number): Parameters => {
  const { classes, entries, times, labelers, item, labeler, label } = votes;
  const confusion = new Float64Array(labelers.length * classes * classes).fill(smoothing);
  item.forEach((i, v) => {
    for (let j = 0; j < classes; j++)
      confusion[(labeler[v] * classes + j) * classes + label[v]] += times[i] * posteriors[i * classes + j];
  });
  for (let row = 0; row < labelers.length * classes; row++) {
    const cells = confusion.subarray(row * classes, (row + 1) * classes);
    const total = cells.reduce((sum, n) => sum + n, 0);
    // a labeler who never saw this class: any label is as probable as another
    cells.forEach((n, at) => (cells[at] = total > 0 ? n / total : 1 / classes));
  }
  const priors = new Float64Array(classes).fill(smoothing);
  posteriors.forEach((p, at) => (priors[at % classes] += times[Math.floor(at / classes)] * p));
  const whole = entries.size + smoothing * classes;
  return { priors: priors.map((n) => n / whole), confusion };
};

/** Expectation: posteriors [item, label] from parameters (equation 2.5), and the log-likelihood. */
const expected = (votes: Votes, { priors, confusion }: Parameters) => {
  const { classes, times, item, labeler, label } = votes;
  const logs = new Float64Array(times.length * classes);
  logs.forEach((_, at) => (logs[at] = Math.log(priors[at % classes])));
  const logConfusion = confusion.map(Math.log);
  item.forEach((i, v) => {
    for (let j = 0; j < classes; j++)
      logs[i * classes + j] += logConfusion[(labeler[v] * classes + j) * classes + label[v]];
  });
  let logLikelihood = 0;
  for (let i = 0; i < times.length; i++) {
    const row = logs.subarray(i * classes, (i + 1) * classes);
    const top = Math.max(...row);
    const total = row.reduce((sum, x) => sum + Math.exp(x - top), 0);
    logLikelihood += times[i] * (top + Math.log(total));
    row.forEach((x, j) => (row[j] = Math.exp(x - top) / total));
  }
  return { posteriors: logs, logLikelihood };
};

const fitOf = (
  votes: Votes,
  labels: readonly string[],
  { priors, confusion }: Parameters,
  posteriors: Float64Array,
): Pick<DawidSkeneFit, 'labels' | 'priors' | 'labelers' | 'items'> => {
  const { classes } = votes;
  const given = new Int32Array(votes.labelers.length);
  votes.labeler.forEach((l, v) => (given[l] += votes.times[votes.item[v]]));
  return {
    labels,
    priors: [...priors],
    labelers: votes.labelers.map((labeler, l) => {
      const rows = labels.map((_, j) => [
        ...confusion.subarray((l * classes + j) * classes, (l * classes + j + 1) * classes),
      ]);
      const reliability = rows.reduce((sum, row, j) => sum + priors[j] * row[j], 0);
      return { labeler, given: given[l], confusion: rows, reliability };
    }),
    items: Array.from(votes.entries, ([item, i]) => {
      const posterior = [...posteriors.subarray(i * classes, (i + 1) * classes)];
      const best = posterior.reduce((top, p, j) => (p > posterior[top] ? j : top), 0);
      return { item, posterior, label: labels[best] };
    }),
  };
};

/**
 * True labels, class priors and each labeler's confusion matrix from labels that disagree, by expectation
 * maximisation (Dawid and Skene 1979, "Maximum likelihood estimation of observer error-rates using the EM
 * algorithm"), started from the shares of votes. Throws `invalid-input` without labels, or for one that is
 * none of `labels`.
 */
export const dawidSkene = (given: readonly GivenLabel[], options: DawidSkeneOptions = {}): DawidSkeneFit => {
  const { smoothing = 0, iterations: most = 1000, tolerance = 1e-9 } = options;
  notEmpty(given, 'labels');
  notNegative([smoothing, tolerance], 'settings of Dawid–Skene');
  whole(most, 'number of iterations', 1);
  const labels = options.labels ?? [...new Set(given.map(({ label }) => label))];
  const votes = votesOf(given, labels);
  let posteriors = voteShares(votes);
  let logLikelihood = -Infinity;
  for (let iteration = 1; ; iteration++) {
    const parameters = maximised(votes, posteriors, smoothing);
    const next = expected(votes, parameters);
    const converged = Math.abs(next.logLikelihood - logLikelihood) < tolerance;
    ({ posteriors, logLikelihood } = next);
    if (converged || iteration === most)
      return {
        ...fitOf(votes, labels, parameters, posteriors),
        logLikelihood,
        iterations: iteration,
        converged,
      };
  }
};
