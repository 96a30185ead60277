import * as z from 'zod';

/** Fields of a row that a person can map to columns of a file. */
export const mappedFields = [
  'prompt',
  'answer',
  'chosen',
  'rejected',
  'reference',
  'correct',
  'source',
] as const;
export type MappedField = (typeof mappedFields)[number];

const column = z.string().min(1).max(1000).optional();

/** The column of a file for each mapped field. */
export const Mapping = z.strictObject({
  prompt: column,
  answer: column,
  chosen: column,
  rejected: column,
  reference: column,
  correct: column,
  source: column,
});
export type Mapping = Readonly<z.infer<typeof Mapping>>;
