/** Reads the files of a task. */
import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';

/**
 * Parses a file with one JSON object a line; every line must match the schema. `field`: the one of the spec that
 * names the file.
 */
export const readLines = async <S extends z.ZodType>(
  schema: S,
  path: string | undefined,
  what: string,
  field = 'task',
): Promise<z.output<S>[]> => {
  if (path === undefined)
    throw new WhetstoneError('not-found', `There is no file for ${what}.`, { where: field });
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new WhetstoneError('not-found', `The file of ${what} cannot be read.`, { where: path, cause });
  });
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const where = `${path}:${at + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new WhetstoneError('invalid-input', `${what}: line ${at + 1} is not JSON.`, { where, cause });
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success)
      throw new WhetstoneError(
        'invalid-input',
        `${what}: line ${at + 1}: ${parsed.error.issues[0].message}`,
        { where },
      );
    return [parsed.data];
  });
};
