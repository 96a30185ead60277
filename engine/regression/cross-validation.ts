import { part, pause } from '../pace/index.ts';
import { judge, marginsOf, subset, type Comparisons } from './comparisons.ts';
import { fitLogistic, gramOf, preconditioner } from './logistic.ts';

/** Penalties to try, per pair, from strong to weak: each fit starts from the one before. */
export const PENALTIES = [10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001] as const;
/** Weaker penalties than the best are tried until this many in a row did worse. */
const WORSE = 2;

export interface Fitted {
  readonly weights: Float64Array;
  readonly penalty: number;
  /** A factor of the Hessian near the solution, for fits of similar data with the same penalty. */
  readonly factor: Float64Array;
  /** On the training pairs, and on pairs of left-out prompts. */
  readonly loss: number;
  readonly accuracy: number;
  readonly heldoutLoss?: number;
  readonly heldoutAccuracy?: number;
  /** P: margin of each pair by weights that were fitted without its prompt. */
  readonly heldoutMargins?: Float64Array;
}

/** Distance from the minimum, in nats a pair, that does not change which penalty is best. */
const ROUGH = 1e-9;

/** Penalty if there is nothing to choose it by. */
const ALONE = 1;

interface Fold {
  readonly inside: Comparisons;
  readonly outside: Comparisons;
  /** Pairs of `outside`, by their numbers in the whole. */
  readonly pairs: readonly number[];
}

/** Which fold leaves out each pair: the pairs of a prompt stay together. */
const foldsOf = (data: Comparisons, groups: Float64Array, count: number): Fold[] => {
  const order = [...new Set(groups)].sort((a, b) => a - b);
  const parts = Math.min(count, order.length);
  if (parts < 2) return [];
  const foldOf = new Map(order.map((group, at) => [group, at % parts]));
  return Array.from({ length: parts }, (_, fold) => {
    const isOut = (pair: number) => foldOf.get(groups[pair]) === fold;
    return {
      inside: subset(data, (pair) => !isOut(pair)),
      outside: subset(data, isOut),
      pairs: [...data.targets.keys()].filter(isOut),
    };
  });
};

/** Mean probability times its complement, over pairs: the scale of the Hessian against the Gram matrix. */
const meanCurvature = (margins: Float64Array): number =>
  margins.reduce((sum, margin) => {
    const p = 1 / (1 + Math.exp(-margin));
    return sum + p * (1 - p);
  }, 0) / Math.max(1, margins.length);

/** One penalty of the path: the fit of all pairs, and margins of each pair by a fit without its prompt. */
interface Candidate {
  readonly penalty: number;
  readonly weights: Float64Array;
  readonly factor: Float64Array;
  readonly heldout: Float64Array;
  readonly loss: number;
}

const candidateOf = async (
  data: Comparisons,
  folds: readonly Fold[],
  gram: Float64Array,
  penalty: number,
  before: Float64Array | undefined,
): Promise<Candidate> => {
  const curvature = before ? meanCurvature(marginsOf(data, before)) : 0.25;
  const factor = preconditioner(gram, data.width, curvature, penalty);
  const weights = await fitLogistic(data, penalty, { factor, ...(before && { weights: before }) });
  const heldout = new Float64Array(data.targets.length);
  for (const [at, { inside, outside, pairs }] of folds.entries()) {
    await pause((at + 1) / (folds.length + 1));
    const own = await fitLogistic(inside, penalty, { factor, weights, tolerance: ROUGH });
    const margins = marginsOf(outside, own);
    pairs.forEach((pair, at) => (heldout[pair] = margins[at]));
  }
  return { penalty, weights, factor, heldout, loss: judge(data, heldout).loss };
};

const fittedOf = (
  data: Comparisons,
  { weights, penalty, factor, heldout }: Candidate,
  folds: readonly Fold[],
): Fitted => {
  const { loss, right, count } = judge(data, marginsOf(data, weights));
  const fitted = { weights, penalty, factor, loss: loss / count, accuracy: right / count };
  if (folds.length === 0) return fitted;
  const left = judge(data, heldout);
  return {
    ...fitted,
    heldoutLoss: left.loss / left.count,
    heldoutAccuracy: left.right / left.count,
    heldoutMargins: heldout,
  };
};

/**
 * Chooses the penalty with the lowest loss on left-out prompts, then fits all pairs with it. Penalties are
 * tried from strong to weak, until two in a row do worse than the best. A prompt's pairs stay in one fold.
 * With pairs of a single prompt there is no cross-validation: then the penalty is 1, and there is no held-out
 * loss.
 */
export const crossValidated = async ({
  groups,
  folds: count,
  ...data
}: Comparisons & { readonly groups: Float64Array; readonly folds: number }): Promise<Fitted> => {
  const folds = foldsOf(data, groups, count);
  const gram = await gramOf(data);
  if (folds.length === 0) return fittedOf(data, await candidateOf(data, [], gram, ALONE, undefined), folds);
  let best: Candidate | undefined;
  let last: Candidate | undefined;
  let worse = 0;
  for (const [at, penalty] of PENALTIES.entries()) {
    const before = last?.weights;
    last = await part(at / PENALTIES.length, (at + 1) / PENALTIES.length, () =>
      candidateOf(data, folds, gram, penalty, before),
    );
    worse = best && !(last.loss < best.loss) ? worse + 1 : 0;
    if (worse === 0) best = last;
    if (worse === WORSE) break;
  }
  return fittedOf(data, best ?? (await candidateOf(data, folds, gram, ALONE, undefined)), folds);
};
