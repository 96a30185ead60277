import type { FormContext } from './context.ts';
import type { GroupField } from './fields.ts';

export interface Part {
  readonly name: string;
  readonly share: number;
}

/**
 * The rest and the parts of a group whose fields are shares of one whole; null while they are no such shares.
 */
export function partsOf(
  { fields }: GroupField,
  rest: string,
  { draft, suggested }: Pick<FormContext, 'draft' | 'suggested'>,
): readonly Part[] | null {
  const parts = fields.flatMap((field) =>
    field.kind === 'number' && field.part !== undefined
      ? [{ name: field.part, share: draft.get(field.path) ?? suggested(field.path) ?? field.fallback }]
      : [],
  );
  const isShare = (part: { name: string; share: unknown }): part is Part =>
    typeof part.share === 'number' && part.share >= 0;
  if (!parts.every(isShare)) return null;
  const left = 1 - parts.reduce((sum, { share }) => sum + share, 0);
  // sums of shares such as 0.7 and 0.3 may exceed 1 by rounding
  return left < -1e-9 ? null : [{ name: rest, share: Math.max(0, left) }, ...parts];
}
