export { itemKey, textHash, type FileLabel } from './file-label.ts';
export { readLabels, type LabelsRead, type UnreadLine } from './read-labels.ts';
