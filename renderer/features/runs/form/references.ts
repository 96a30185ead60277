import { usual } from '../../../../engine/common/suggested.ts';
import type { Dataset } from '../../../../preload/contract/datasets.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { LabelSet } from '../../../../preload/contract/labels.ts';
import type { Checkpoint } from '../../../../preload/contract/runs.ts';

type Task =
  { readonly kind?: unknown; readonly datasetId?: unknown; readonly labelSetId?: unknown } | undefined;
type Scorer = { readonly id?: unknown; readonly [key: string]: unknown };

export const datasetOf = (task: Task, datasets: readonly Dataset[]): Dataset | undefined =>
  task?.kind === 'dataset' ? datasets.find(({ id }) => id === task.datasetId) : undefined;

/**
 * The dataset whose answers were labeled: a model trained on it can read and write text like the labeled one.
 */
export const labeledDataset = (task: Task, labelSets: readonly LabelSet[]): string | undefined => {
  if (task?.kind !== 'labels') return undefined;
  const [kind, id] = labelSets.find((set) => set.id === task.labelSetId)?.source.split(':') ?? [];
  return kind === 'dataset' ? id : undefined;
};

/** Rewards that apply to the task: those that need a world or references only if the task has them. */
export const rewardsFor = <R extends { readonly needs: readonly string[] }>(
  rewards: readonly R[],
  task: Task,
  datasets: readonly Dataset[],
): readonly R[] => {
  const has = {
    world: task?.kind === 'world' || task?.kind === undefined,
    reference:
      task?.kind !== 'labels' &&
      (task?.kind !== 'dataset' || (datasetOf(task, datasets)?.doctor.references ?? 0) > 0),
  };
  return rewards.filter(
    ({ needs }) => (has.world || !needs.includes('world')) && (has.reference || !needs.includes('reference')),
  );
};

/**
 * The scorers of a draft after a change of task: the dataset's verifier if none was chosen, and none if only
 * the previous dataset's verifier was.
 */
export const withVerifier = (
  scorers: readonly Scorer[],
  before: string | null,
  verifier: string | null,
): readonly Scorer[] => {
  const [only, ...more] = scorers;
  const isUnchosen =
    more.length === 0 && (only === undefined || (only.id === before && Object.keys(only).length === 1));
  return isUnchosen ? (verifier === null ? [] : [{ id: verifier }]) : scorers;
};

/** Longest context of a new model on offer, in bytes. */
export const LONGEST = 2048;
const powerOfTwo = (bytes: number): number =>
  Math.min(LONGEST, Math.max(usual.context, 2 ** Math.ceil(Math.log2(bytes))));

/**
 * Context in bytes that suits most rows of a dataset, prompt and answer together: three mean answers, rounded
 * to a power of two. A new model that reads bytes gets this context.
 */
export const contextFor = ({
  answers,
  meanAnswerCharacters,
}: Pick<Dataset['doctor'], 'answers' | 'meanAnswerCharacters'>): number =>
  powerOfTwo(answers > 0 ? 3 * Math.max(1, meanAnswerCharacters) : 512);

/** The same for labeled pairs, from the bytes that nearly all of them need, plus a begin and an end token. */
export const contextForPairs = (bytes: number): number => powerOfTwo(bytes + 2);

const CONSIDERED = 16;
/** The newest checkpoint of each run that generates text: default candidates to start from. */
export const startsOf = (checkpoints: readonly Checkpoint[]): readonly Checkpoint[] =>
  checkpoints
    .filter(
      ({ head, runId }, at) =>
        head === 'next-token' && checkpoints.findIndex((each) => each.runId === runId) === at,
    )
    .slice(0, CONSIDERED);

/**
 * The initial model of a run on labeled pairs: the newest checkpoint that can read them, or a new model that
 * reads bytes and has room for nearly all; null if that exceeds the longest context on offer.
 */
export async function startForLabels(
  labels: Pick<WhetstoneClient['labels'], 'reading'>,
  setId: string,
  checkpoints: readonly Checkpoint[],
): Promise<Record<string, unknown> | null> {
  const starts = startsOf(checkpoints);
  const { bytes, readable } = await labels.reading({ setId, checkpointIds: starts.map(({ id }) => id) });
  const found = starts.find(({ id }) => readable.includes(id));
  if (found) return { kind: 'checkpoint', checkpointId: found.id };
  return bytes + 2 > LONGEST
    ? null
    : { kind: 'new', architecture: { context: contextForPairs(bytes) }, tokenizer: { kind: 'bytes' } };
}
