import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toJson } from './json.ts';
import { uuid } from './uuid.ts';

export interface Artifact {
  /** Relative to the workspace's folder, with forward slashes. */
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/** Writes chunks to `artifacts/<kind>/<hash><ending>`: temp file, fsync, rename. A file with the same content is written once. */
export function writeArtifact(folder: string, kind: string, ending: string, chunks: Iterable<Uint8Array>): Artifact {
  const temporary = join(folder, 'artifacts', kind, `writing-${uuid()}`);
  mkdirSync(dirname(temporary), { recursive: true });
  const file = openSync(temporary, 'wx');
  const digest = createHash('sha256');
  let bytes = 0;
  try {
    for (const chunk of chunks) {
      digest.update(chunk);
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
      bytes += chunk.length;
    }
    fsyncSync(file);
  } catch (error) {
    closeSync(file);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(file);
  const hash = digest.digest('hex');
  const path = `artifacts/${kind}/${hash}${ending}`;
  if (existsSync(join(folder, path))) rmSync(temporary);
  else renameSync(temporary, join(folder, path));
  return { path, hash, bytes };
}

/** Values as JSON lines, in pieces of about 64 kB. `count` is told how many there were. */
export function* jsonLines(values: Iterable<unknown>, count: (rows: number) => void = () => undefined): Generator<Uint8Array> {
  let text = '';
  let rows = 0;
  for (const value of values) {
    text += `${toJson(value)}\n`;
    rows += 1;
    if (text.length > 65_536) {
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text) yield Buffer.from(text);
  count(rows);
}
