/** Results of a run that are no curves, as the engine emits them and the store keeps them. */
import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import {
  EpisodeEvaluation,
  FurtherEvaluations,
  PolicyEvaluation,
  PreferenceEvaluation,
  RewardInspection,
} from './evaluation.ts';
import { PreflightOutcome } from './preflight.ts';
import { ReplayContents } from './replay.ts';
import { SearchCurve } from './search.ts';

/** An answer that a scorer could not score. */
export const RewardFault = z.strictObject({
  scorer: z.string(),
  kind: z.string(),
  message: z.string(),
  prompt: z.string(),
  completion: z.string(),
});
export type RewardFault = z.infer<typeof RewardFault>;

/** The shape of each kind of result. */
export const resultSchemas = {
  evaluation: PolicyEvaluation,
  'reward-inspection': RewardInspection,
  'preference-evaluation': PreferenceEvaluation,
  'further-evaluations': FurtherEvaluations,
  episodes: EpisodeEvaluation,
  search: SearchCurve,
  replay: ReplayContents,
  preflight: PreflightOutcome,
  'reward-fault': RewardFault,
} as const;
export type ResultKind = keyof typeof resultSchemas;
export const ResultKind = z.enum(Object.keys(resultSchemas) as [ResultKind, ...ResultKind[]]);
export type ResultValue<K extends ResultKind> = z.infer<(typeof resultSchemas)[K]>;

/** A result as one of the kinds, with its value. */
export type RunResult = {
  [K in ResultKind]: { readonly kind: K; readonly value: ResultValue<K> };
}[ResultKind];

/** The value of a stored result. Throws `unsupported` if it has another shape. */
export const readResult = <K extends ResultKind>(kind: K, value: unknown): ResultValue<K> => {
  const read = resultSchemas[kind].safeParse(value);
  if (read.success) return read.data as ResultValue<K>;
  throw new WhetstoneError('unsupported', `The stored ${kind} has a shape that this version cannot read.`, {
    where: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
  });
};
