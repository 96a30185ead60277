import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** True if a workspace can be created there: nothing exists yet, or an empty folder. */
const isFree = (path: string): boolean => {
  try {
    return !existsSync(path) || readdirSync(path).length === 0;
  } catch {
    // a file, or a folder of somebody else
    return false;
  }
};

/** A folder for a new workspace: `Whetstone/first` below the user's home, or the next free name. */
export function defaultFolder(home = homedir()): string {
  for (let n = 1; ; n += 1) {
    const path = join(home, 'Whetstone', n === 1 ? 'first' : `workspace-${n}`);
    if (isFree(path)) return path;
  }
}
