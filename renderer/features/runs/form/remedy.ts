import { usual } from '../../../../engine/common/suggested.ts';
import type { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { contextFor, datasetOf, LONGEST, startForLabels } from './references.ts';
import { textCheckpoints, type Stock } from './stock.ts';

/** A starting model that can read the data of a run, and what choosing it is called. */
export interface Remedy {
  readonly label: string;
  readonly policy: Record<string, unknown>;
}

type Section = Readonly<Record<string, unknown>> | undefined;

const titleOf = ({ architecture }: Record<string, unknown>): string =>
  `Use a new model: ${String((architecture as { context: number }).context)} tokens, bytes`;

const otherSections =
  /^(task|method|rewards|composer|controllers|optimizer|budget|evaluation|adapter|seed|device)\b/;
/** True if an error of the check may say that the starting model cannot read the data. */
export const isMisfit = ({ kind, where = '' }: Pick<WhetstoneError, 'kind' | 'where'>): boolean =>
  kind === 'invalid-input' && !otherSections.test(where);

type Policy = { readonly kind?: unknown; readonly architecture?: { readonly context?: number } };

/** True if a model reads longer rows, or other texts, than the present one: a new model by its context. */
export function readsMore(remedy: unknown, present: unknown): boolean {
  const [next, now] = [remedy, present].map((each) => (each ?? {}) as Policy);
  if (JSON.stringify(next) === JSON.stringify(now)) return false;
  const isLarger = (next.architecture?.context ?? 0) > (now.architecture?.context ?? usual.context);
  const { tokenizer } = now as { tokenizer?: { kind?: unknown } };
  return next.kind !== 'new' || now.kind !== 'new' || tokenizer?.kind !== 'bytes' || isLarger;
}

/** The remedy for a model that cannot read the data of a task; null where the form has none. */
export async function remedyFor(
  stock: Stock,
  labels: Pick<WhetstoneClient['labels'], 'reading'> | null,
  task: Section,
): Promise<Remedy | null> {
  const dataset = datasetOf(task, stock.datasets);
  if (dataset) {
    if (dataset.doctor.meanAnswerCharacters > LONGEST) return null;
    const architecture = { context: contextFor(dataset.doctor) };
    const policy = { kind: 'new', architecture, tokenizer: { kind: 'bytes' } };
    return { policy, label: titleOf(policy) };
  }
  if (task?.kind !== 'labels' || typeof task.labelSetId !== 'string' || !labels) return null;
  const policy = await startForLabels(labels, task.labelSetId, textCheckpoints(stock));
  if (policy === null) return null;
  if (policy.kind === 'new') return { policy, label: titleOf(policy) };
  const run = stock.checkpoints.find(({ id }) => id === policy.checkpointId);
  return { policy, label: `Start from ${run?.runName || run?.method || 'a checkpoint'}, which reads them` };
}
