import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ProbeReport } from '../../../preload/contract/probes.ts';

/** The probes of one reward model: their progress and their report. */
export class Probing {
  progress = $state.raw<{ readonly done: number; readonly total: number } | null>(null);
  report = $state.raw<ProbeReport | null>(null);
  /** When the shown report was stored; null for one made now. */
  at = $state<number | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly runId: string;
  private readonly port: WhetstoneClient['probes'];
  private close: (() => void) | null = null;

  constructor(runId: string, port: WhetstoneClient['probes']) {
    [this.runId, this.port] = [runId, port];
  }

  /** Reads the newest stored report on the judge's files, unless one is shown. */
  async load(): Promise<void> {
    try {
      const stored = await this.port.stored({ runId: this.runId });
      if (stored && !this.report) [this.report, this.at] = [stored.report, stored.at];
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Starts the probes; a second request waits for the first. */
  start(most: number): void {
    if (this.close) return;
    this.error = null;
    this.progress = { done: 0, total: 0 };
    const end = (error?: unknown) => {
      this.close = null;
      this.progress = null;
      if (error !== undefined && error !== null) this.error = WhetstoneError.from(error);
    };
    this.close = this.port.run(
      { runId: this.runId, most },
      ({ done, total, report }) => {
        if (report) [this.report, this.at] = [report, null];
        else this.progress = { done, total };
      },
      end,
    );
  }

  cancel(): void {
    this.close?.();
    this.close = null;
    this.progress = null;
  }
}
