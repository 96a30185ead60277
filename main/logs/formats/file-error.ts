import { WhetstoneError } from '../../../engine/common/errors.ts';
import { storeError } from '../../store/database.ts';

/** An error of reading a file, in words. */
export function fileError(error: unknown, path: string): WhetstoneError {
  if (error instanceof WhetstoneError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return new WhetstoneError('not-found', 'There is no such file or folder.', { where: path, cause: error });
  if (code === 'EACCES' || code === 'EPERM')
    return new WhetstoneError('invalid-input', 'This file cannot be read.', {
      where: path,
      hint: 'Change its permissions.',
      cause: error,
    });
  return storeError(error, path);
}
