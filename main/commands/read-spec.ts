import { readFile } from 'node:fs/promises';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { storeError } from '../store/database.ts';

/** Reads a specification file as plain data. Throws `not-found`, or `invalid-input` if it is not JSON. */
export async function readSpec(path: string): Promise<unknown> {
  try {
    // editors and shells of Windows start a file with a byte order mark
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new WhetstoneError('invalid-input', `The specification is not JSON: ${error.message}`, {
        where: path,
      });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new WhetstoneError('not-found', 'There is no such file.', { where: path });
    throw storeError(error, path);
  }
}
