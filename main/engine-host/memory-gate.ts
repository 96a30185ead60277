import { WhetstoneError } from '../../engine/common/errors.ts';
import type { DeviceId } from '../../engine/schema/device.ts';
import type { Resources } from '../../engine/schema/messages.ts';
import type { Run } from '../../preload/contract/runs.ts';
import type { QueueWait } from '../../preload/contract/queue.ts';
import { readableSpec } from '../store/run-states.ts';
import type { EngineHost } from './host.ts';

/** Time limit of an estimate, in milliseconds. */
const estimateMs = 600_000;

/** A run in the engine, as far as another one depends on it. */
export interface Neighbour {
  readonly run: Run;
  /** True if it has taken a step: only then does free memory reflect what it needs. */
  readonly hasStepped: boolean;
}

/** The device of a run; a run without a readable specification fails on the processor. */
export const deviceOf = ({ spec }: Run): DeviceId => spec?.device ?? 'cpu';

/**
 * Decides whether a run on the processor may start while others run: if its estimate fits into the memory that is
 * free after all others have taken a step. A run on an accelerator may always: the queue starts one at a time
 * there, since how much of its memory is free is unknown.
 */
export class MemoryGate {
  readonly #host: EngineHost;
  readonly #resourcesOf: (run: Run) => Promise<Resources>;
  /** Estimated need by run, in bytes; an error where it could not be estimated. */
  readonly #needs = new Map<string, number | WhetstoneError | 'estimating'>();

  constructor(host: EngineHost, resourcesOf: (run: Run) => Promise<Resources>) {
    this.#host = host;
    this.#resourcesOf = resourcesOf;
  }

  /** Why `run` has to wait, or null. `again` is called when an estimate that was missing has arrived. */
  waitOf(run: Run, others: readonly Neighbour[], again: () => void): QueueWait | null {
    const wait = (why: QueueWait['why'], more: Partial<QueueWait> = {}): QueueWait => ({
      runId: run.id,
      why,
      needBytes: null,
      freeBytes: null,
      ...more,
    });
    if (others.length === 0 || deviceOf(run) !== 'cpu') return null;
    const need = this.#needs.get(run.id);
    if (need === undefined) void this.#estimate(run).then(again);
    if (need === undefined || need === 'estimating') return wait('estimate');
    // it will fail by itself, when it is its turn
    if (need instanceof WhetstoneError) return wait('unknown');
    if (others.some(({ hasStepped }) => !hasStepped)) return wait('first-step', { needBytes: need });
    const freeBytes = freeMemory();
    return need > freeBytes ? wait('memory', { needBytes: need, freeBytes }) : null;
  }

  /** Forgets a run that has started or ended. */
  forget(id: string): void {
    this.#needs.delete(id);
  }

  async #estimate(run: Run): Promise<void> {
    this.#needs.set(run.id, 'estimating');
    try {
      const input = { spec: readableSpec(run), resources: await this.#resourcesOf(run) };
      this.#needs.set(run.id, (await this.#host.ask('preflight', input, estimateMs)).totalBytes);
    } catch (error) {
      this.#needs.set(run.id, WhetstoneError.from(error));
    }
  }
}

/** Memory available to another process, in bytes; the variable WHETSTONE_MEMORY_MB bounds it. */
function freeMemory(): number {
  const limit = Number(process.env.WHETSTONE_MEMORY_MB);
  return Math.min(process.availableMemory(), limit > 0 ? limit * 1e6 : Infinity);
}
