import type { GraphKind } from '../../../preload/contract/lineage.ts';

/** A thing in the graph of lineage. */
export interface Key {
  readonly kind: GraphKind;
  /**
   * Of a file its path, of a version `DATASET@SEQUENCE`, of an evaluation `RUN/KIND/STEP`: the newest attempt's
   * result of that kind and step.
   */
  readonly id: string;
}

export const key = (kind: GraphKind, id: string): Key => ({ kind, id });
export const textOf = ({ kind, id }: Key): string => `${kind} ${id}`;

export const versionId = (datasetId: string, sequence: number): string => `${datasetId}@${sequence}`;
/** The dataset and its newest step of a version's id; a sequence that is no number matches no version. */
export function versionOf(id: string): { readonly datasetId: string; readonly sequence: number } {
  const at = id.lastIndexOf('@');
  return { datasetId: id.slice(0, Math.max(0, at)), sequence: at < 0 ? -1 : Number(id.slice(at + 1)) };
}

export const evaluationId = (runId: string, kind: string, step: number): string => `${runId}/${kind}/${step}`;
export function evaluationOf(id: string): {
  readonly runId: string;
  readonly kind: string;
  readonly step: number;
} {
  const [runId = '', kind = '', step = ''] = id.split('/');
  return { runId, kind, step: step === '' ? Number.NaN : Number(step) };
}
