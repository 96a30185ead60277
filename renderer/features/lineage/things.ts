import type { GraphKind, LineageNode } from '../../../preload/contract/lineage.ts';

const words: { readonly [K in GraphKind]: string } = {
  file: 'file',
  dataset: 'dataset',
  version: 'version',
  'label-set': 'labels',
  run: 'run',
  checkpoint: 'checkpoint',
  evaluation: 'evaluation',
  model: 'model',
};
export const kindText = ({ kind }: Pick<LineageNode, 'kind'>): string => words[kind];
/** The line under a name; the notes of checkpoints and evaluations say what they are. */
export const shortText = (node: Pick<LineageNode, 'kind' | 'note'>): string =>
  node.kind === 'checkpoint' || node.kind === 'evaluation' ? node.note : `${kindText(node)}, ${node.note}`;
export const isKind = (text: string | undefined): text is GraphKind =>
  text !== undefined && Object.hasOwn(words, text);

/** The address of a thing's own page; null for a file, and for what was removed. */
export function pageOf({ kind, id, removed }: LineageNode): readonly string[] | null {
  if (removed === true) return null;
  switch (kind) {
    case 'file':
      return null;
    case 'dataset':
      return ['datasets', id];
    case 'version':
      return ['datasets', id.slice(0, id.lastIndexOf('@'))];
    case 'label-set':
      return ['label', id];
    case 'run':
      return ['runs', id];
    case 'checkpoint':
    case 'model':
      return ['models', id];
    case 'evaluation': {
      const [runId, of] = id.split('/');
      return of === 'reward-inspection' ? ['rewards', runId] : ['runs', runId, 'results'];
    }
  }
}
