import type { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { contextFor, datasetOf, startForLabels } from './references.ts';
import type { Stock } from './stock.ts';

/** A starting model that can read the data of a run, and what choosing it is called. */
export interface Remedy {
  readonly label: string;
  readonly policy: Record<string, unknown>;
}

type Section = Readonly<Record<string, unknown>> | undefined;

const titleOf = ({ architecture }: Record<string, unknown>): string =>
  `Use a new model: ${String((architecture as { context: number }).context)} tokens, bytes`;

const otherSections = /^(task|method|rewards|controllers|optimizer|budget|evaluation|adapter|seed|device)\b/;
/** Whether an error of the check may say that the starting model cannot read the data. */
export const isMisfit = ({ kind, where = '' }: Pick<WhetstoneError, 'kind' | 'where'>): boolean =>
  kind === 'invalid-input' && !otherSections.test(where);

/** The remedy for a model that cannot read the data of a task; null where the form has none. */
export async function remedyFor(
  stock: Stock,
  labels: Pick<WhetstoneClient['labels'], 'reading'> | null,
  task: Section,
): Promise<Remedy | null> {
  const dataset = datasetOf(task, stock.datasets);
  if (dataset) {
    const architecture = { context: contextFor(dataset.doctor) };
    const policy = { kind: 'new', architecture, tokenizer: { kind: 'bytes' } };
    return { policy, label: titleOf(policy) };
  }
  if (task?.kind !== 'labels' || typeof task.labelSetId !== 'string' || !labels) return null;
  const policy = await startForLabels(labels, task.labelSetId, stock.checkpoints);
  if (policy.kind === 'new') return { policy, label: titleOf(policy) };
  const run = stock.checkpoints.find(({ id }) => id === policy.checkpointId);
  return { policy, label: `Start from ${run?.runName || run?.method || 'a checkpoint'}, which reads them` };
}
