import type { Dataset } from '../../preload/contract/datasets.ts';
import type { PreferenceEvaluation } from '../../engine/schema/evaluation.ts';
import type { LeftOut } from '../use-cases/left-out.ts';

/**
 * Held-out accuracy of one scorer on pairs of a right and a wrong solution, with length baselines on the same
 * pairs.
 */
export interface PairResult {
  readonly name: string;
  readonly pairs: number;
  readonly accuracy: number;
  readonly interval: readonly [number, number];
  readonly baselines: { readonly longest: number; readonly shortest: number };
  /** True if the whole interval is above the better of the two baselines. */
  readonly beatsBaseline: boolean;
}

export interface StudyResult {
  readonly ok: boolean;
  readonly seconds: number;
  readonly dataset: {
    readonly id: string;
    readonly rows: number;
    readonly prompts: number;
    readonly promptsWithPairs: number;
    readonly pairs: number;
    readonly longestWins: number | null;
    readonly shortestWins: number | null;
  };
  readonly policy: { readonly parameters: number | null; readonly heldoutLoss: number | null };
  readonly results: readonly PairResult[];
  /** Rows longer than the model's context, by run. */
  readonly leftOut: readonly (LeftOut & { readonly run: string })[];
  readonly report: string;
}

/** A scorer's accuracy compared with the length baselines. */
export const pairResult = (
  name: string,
  {
    pairs,
    accuracy,
    accuracyInterval,
    baselines,
  }: Pick<PreferenceEvaluation, 'pairs' | 'accuracy' | 'accuracyInterval' | 'baselines'>,
): PairResult => ({
  name,
  pairs,
  accuracy,
  interval: accuracyInterval,
  baselines,
  beatsBaseline: accuracyInterval[0] > Math.max(baselines.longest, baselines.shortest),
});

/** Facts about the data in a study's result. */
export const datasetFacts = ({ id, rows, doctor }: Dataset): StudyResult['dataset'] => ({
  id,
  rows,
  prompts: doctor.prompts,
  promptsWithPairs: doctor.promptsWithPairs,
  pairs: doctor.pairs,
  longestWins: doctor.longestWins,
  shortestWins: doctor.shortestWins,
});
