import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { SuiteKind, SuiteReport } from '../../../engine/schema/suite.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ListedSuite, SuiteDifference } from '../../../preload/contract/suites.ts';

export const suiteTitles: Readonly<Record<SuiteKind, string>> = {
  rewardbench: 'RewardBench',
  'rewardbench-2': 'RewardBench 2',
  gold: 'Gold set',
  processbench: 'ProcessBench',
};

export const suiteKinds = Object.keys(suiteTitles) as SuiteKind[];

/** Settings of a suite's run. */
export interface SuiteChoice {
  readonly path: string;
  readonly suite: SuiteKind | '';
  readonly slice: string;
  readonly threshold: number | null;
}

/** Suites of one judge: what is run, the stored reports of all judges, and the one that is read. */
export class SuitesState {
  progress = $state.raw<{ readonly done: number; readonly total: number } | null>(null);
  reports = $state.raw<readonly ListedSuite[] | null>(null);
  report = $state.raw<SuiteReport | null>(null);
  difference = $state.raw<SuiteDifference | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly runId: string;
  private readonly client: WhetstoneClient['suites'];
  private close: (() => void) | null = null;
  private opened = '';

  constructor(runId: string, client: WhetstoneClient['suites']) {
    [this.runId, this.client] = [runId, client];
  }

  async load(): Promise<void> {
    await this.attempt(async () => {
      this.reports = await this.client.list({});
    });
  }

  /** Reads a report, and its difference to another; nothing for those that are shown. */
  async open(id: string | null, otherId: string | null): Promise<void> {
    const key = JSON.stringify([id, otherId]);
    if (key === this.opened) return;
    this.opened = key;
    this.report = this.difference = this.error = null;
    if (id === null) return;
    await this.attempt(async () => {
      const report = await this.client.get({ id });
      if (key === this.opened) this.report = report;
      if (otherId === null) return;
      const difference = await this.client.compare({ a: otherId, b: id });
      if (key === this.opened) this.difference = difference;
    });
  }

  /** Runs a suite; `done` gets the id of its report. A second request waits for the first. */
  start({ path, suite, slice, threshold }: SuiteChoice, done: (id: string) => void): void {
    if (this.close) return;
    this.error = null;
    this.progress = { done: 0, total: 0 };
    let made: string | null = null;
    this.close = this.client.run(
      {
        from: { kind: 'run', id: this.runId },
        path,
        ...(suite !== '' && { suite }),
        ...(slice.trim() !== '' && { slice: slice.trim() }),
        ...(threshold !== null && { threshold }),
      },
      ({ id, ...progress }) => {
        if (id === null) this.progress = progress;
        else made = id;
      },
      (error) => {
        this.close = null;
        this.progress = null;
        if (error !== undefined && error !== null) this.error = WhetstoneError.from(error);
        else if (made !== null) {
          done(made);
          void this.load();
        }
      },
    );
  }

  cancel(): void {
    this.close?.();
    this.close = null;
    this.progress = null;
  }

  async remove(id: string): Promise<void> {
    await this.attempt(async () => {
      await this.client.remove({ id });
      await this.load();
    });
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
