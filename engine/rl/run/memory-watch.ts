import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What the collector's own threads take to free arrays, in milliseconds. */
const FREEING_MS = 20;

/**
 * Gives memory back that nobody can reach any more: large arrays wait long for that by themselves. They are
 * freed behind the first collection, and gone with the next.
 */
export const collectGarbage = async (): Promise<void> => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await setTimeout(FREEING_MS);
  collect();
};

/**
 * Peak resident size of this process from here on. Linux keeps it and lets it be reset; elsewhere it is the
 * largest value seen when asked, which misses little since the runtime gives memory back late.
 */
export class MemoryWatch {
  readonly #from = process.memoryUsage.rss();
  readonly #kept: boolean;
  #seen = this.#from;

  constructor() {
    this.#kept = this.#reset();
  }

  /** Resident bytes at the beginning. */
  get from(): number {
    return this.#from;
  }

  /** Looks now, where the system does not look by itself. */
  look(): void {
    this.#seen = Math.max(this.#seen, process.memoryUsage.rss());
  }

  /** Largest resident size so far. */
  peak(): number {
    this.look();
    const [, kibibytes] = this.#kept
      ? (/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [])
      : [];
    return kibibytes === undefined ? this.#seen : Number(kibibytes) * 1024;
  }

  #reset(): boolean {
    if (process.platform !== 'linux') return false;
    try {
      writeFileSync('/proc/self/clear_refs', '5');
      return true;
    } catch {
      return false; // a container may forbid it: then what was seen counts
    }
  }
}
