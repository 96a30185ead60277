import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes values as JSON lines. The file appears under its name only when complete and on disk; a failure
 * leaves nothing behind. Returns the number of lines, the bytes, and the SHA-256 of the bytes in hex.
 */
export const writeJsonLines = async (
  path: string,
  values: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<{ rows: number; bytes: number; hash: string }> => {
  const partial = `${path}.partial`;
  const digest = createHash('sha256');
  let [rows, bytes, waiting] = [0, 0, ''];
  const handle = await open(partial, 'w');
  try {
    const flush = async () => {
      const chunk = Buffer.from(waiting);
      waiting = '';
      digest.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    };
    for await (const value of values) {
      waiting += `${JSON.stringify(value)}\n`;
      rows++;
      if (waiting.length > 1 << 18) await flush();
    }
    await flush();
    await handle.sync();
    await handle.close();
    await rename(partial, path);
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
  return { rows, bytes, hash: digest.digest('hex') };
};
