/** Parses fields of a spec, with errors that name their path. */
import type * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';

/** Throws `invalid-input` that names a field of the spec. */
export const refuse = (where: string, message: string, hint?: string): never => {
  throw new WhetstoneError('invalid-input', message, { where, hint });
};

/** Parses a value; an error names the path of the first invalid field under `where`. */
export const parse = <S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : issue.path;
  return refuse([where, ...keys].filter((part) => part !== '').join('.') || 'spec', issue.message);
};
