import type { Run } from '../../preload/contract/runs.ts';

/** A query of the launch form's address, used by buttons that open it. */
type Query = Readonly<Record<string, string | undefined>>;

/**
 * “Train a base policy”: supervised fine-tuning of random weights, on the recommended task or on a dataset.
 */
export const trainBase = (datasetId?: string): Query => ({
  method: 'sft',
  policy: 'new',
  dataset: datasetId,
});

/** “Start a run from it”: the form chooses the method that improves such a policy. */
export const startFrom = (checkpointId: string): Query => ({ checkpoint: checkpointId });

/** “Probe”: the form asks a model in several ways, without training it, on a task that the user picks. */
export const probe = ({
  kind,
  id,
}: {
  readonly kind: 'checkpoint' | 'model';
  readonly id: string;
}): Query => ({
  method: 'ert',
  [kind]: id,
});

/**
 * True of a run whose settings an arena can share: a policy learned from scored answers to a world or a dataset.
 * `learnsFrom`: the kind of task of its method. Others record rewards, too, but do not learn from them.
 */
export const canBeArena = ({ spec }: Pick<Run, 'spec'>, learnsFrom: string | null | undefined): boolean =>
  spec !== null &&
  learnsFrom === 'verifiable' &&
  (spec.task.kind === 'world' || spec.task.kind === 'dataset');

/** How long the demo takes, for people who have not started it yet. */
export const DEMO_TIME = 'about five minutes on two processor cores';

/**
 * True if a run left a policy to start from: it was not stopped early, and solves problems if it was
 * evaluated on some. A checkpoint without a run counts.
 */
export const isTrained = (run: Pick<Run, 'state' | 'outcome'> | undefined): boolean =>
  run === undefined ||
  (run.state === 'done' && !(run.outcome?.measure === 'pass@1' && run.outcome.value === 0));
