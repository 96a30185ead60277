import type * as z from 'zod';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { text, type Values } from './command.ts';

export const optional = (values: Values, name: string): string | undefined =>
  typeof values[name] === 'string' ? values[name] : undefined;
export const labelerOf = (values: Values): string => text(values, 'labeler', 'me');

/** A flag with JSON of a schema; undefined without it. Throws `invalid-input` naming flag and field. */
export function json<T>(values: Values, name: string, schema: z.ZodType<T>): T | undefined {
  const given = optional(values, name);
  if (given === undefined) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(given));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new WhetstoneError('invalid-input', `--${name}: ${issue.message}.`, {
      where: [`--${name}`, ...issue.path].join('.'),
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new WhetstoneError('invalid-input', `--${name} is not JSON: ${error.message}.`, {
      where: `--${name}`,
    });
  }
}

/** A flag with one of the known words. Throws `invalid-input` for another one. */
export function oneOf<T extends string>(values: Values, name: string, known: readonly T[]): T {
  const given = text(values, name);
  const match = known.find((each) => each === given);
  if (match === undefined)
    throw new WhetstoneError('invalid-input', `--${name} is one of ${known.join(', ')}, not '${given}'.`, {
      where: `--${name}`,
    });
  return match;
}
