import type { Dataset } from '../../preload/contract/datasets.ts';

/** True if a prompt of the dataset has two different answers, which a pair to label needs. */
export const hasAnswerPairs = ({ doctor }: Pick<Dataset, 'doctor'>): boolean =>
  doctor.answers - doctor.duplicates > doctor.prompts;
