import { readFile } from 'node:fs/promises';
import { WhetstoneError } from '../common/errors.ts';
import { pause } from '../pace/index.ts';
import type { StoredFeatures } from '../schema/judge.ts';

/**
 * Reads differences of features at some positions of a queue: rows × width. A row that is not finite in the
 * file, of a pair that the model could not read, or that no file holds, is absent: `present` has a 0 for it.
 * Throws `not-found` for a missing file, `invalid-input` for one of another size.
 */
export const featuresAt = async (
  { files, width }: StoredFeatures,
  positions: ArrayLike<number>,
): Promise<{ readonly values: Float64Array; readonly present: Uint8Array }> => {
  const values = new Float64Array(positions.length * width);
  const present = new Uint8Array(positions.length);
  const wanted = Array.from(positions, (position, row) => ({ position, row })).sort(
    (a, b) => a.position - b.position,
  );
  let next = 0;
  for (const { path, first, count } of files.toSorted((a, b) => a.first - b.first)) {
    while (next < wanted.length && wanted[next].position < first) next++;
    if (next === wanted.length || wanted[next].position >= first + count) continue;
    await pause();
    const stored = await read(path, count * width);
    for (; next < wanted.length && wanted[next].position < first + count; next++) {
      const { position, row } = wanted[next];
      const found = stored.subarray((position - first) * width, (position - first + 1) * width);
      if (!found.every(Number.isFinite)) continue;
      values.set(found, row * width);
      present[row] = 1;
    }
  }
  return { values, present };
};

const read = async (path: string, length: number): Promise<Float32Array> => {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new WhetstoneError(
      error.code === 'ENOENT' ? 'not-found' : 'internal',
      `Stored features cannot be read: ${error.message}`,
      { where: path, hint: 'Compute the features of this label set again.', cause: error },
    );
  });
  if (bytes.length !== length * Float32Array.BYTES_PER_ELEMENT)
    throw new WhetstoneError(
      'invalid-input',
      `A file of features has ${bytes.length} bytes instead of ${4 * length}.`,
      {
        where: path,
        hint: 'Compute the features of this label set again.',
      },
    );
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};
