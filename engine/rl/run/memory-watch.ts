import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time for the collector's own threads to free arrays, in milliseconds. */
const FREEING_MS = 20;

/**
 * Collects garbage now: large unreachable arrays would otherwise stay for long. They are freed after the
 * first collection and returned by the second.
 */
export const collectGarbage = async (): Promise<void> => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await setTimeout(FREEING_MS);
  collect();
};

/**
 * Measures the process's peak resident size from construction on. Linux records it and lets it be reset;
 * elsewhere it is the largest sampled value, which misses little since the runtime returns memory late.
 */
export class MemoryWatch {
  readonly #from = process.memoryUsage.rss();
  readonly #kept: boolean;
  #seen = this.#from;

  constructor() {
    this.#kept = this.#reset();
  }

  /** Resident bytes at the start. */
  get from(): number {
    return this.#from;
  }

  /** Takes a sample on systems that do not record the peak. */
  sample(): void {
    this.#seen = Math.max(this.#seen, process.memoryUsage.rss());
  }

  /** Largest resident size so far. */
  peak(): number {
    this.sample();
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
      return false; // a container may forbid it; samples are used instead
    }
  }
}
