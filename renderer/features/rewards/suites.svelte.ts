import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { SuiteKind, SuiteReport } from '../../../engine/schema/suite.ts';
import { allOf } from '../../lib/pages.ts';
import { plural } from '../../lib/format.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ListedSuite, SuiteDifference } from '../../../preload/contract/suites.ts';

export const suiteTitles: Readonly<Record<SuiteKind, string>> = {
  rewardbench: 'RewardBench',
  'rewardbench-2': 'RewardBench 2',
  gold: 'Gold set',
  processbench: 'ProcessBench',
};

export const suiteKinds = Object.keys(suiteTitles) as SuiteKind[];

/** Data of the workspace that can be a gold set. */
export interface SuiteSource {
  /** `KIND:ID` */
  readonly key: string;
  readonly name: string;
}

type Data = NonNullable<Parameters<WhetstoneClient['suites']['run']>[0]['data']>;

/** The data of a key; null for the file. */
export function dataOf(key: string): Data | null {
  const [kind, ...id] = key.split(':');
  return kind === 'dataset' || kind === 'label-set' ? { kind, id: id.join(':') } : null;
}

/** The state of a report's data, and the counts of what is left out; empty for a file. */
export function dataWords({ data }: Pick<SuiteReport, 'data'>): string {
  if (!data) return '';
  const left = [
    data.ties > 0 ? plural(data.ties, 'tie') : '',
    data.skipped > 0 ? plural(data.skipped, 'skipped label') : '',
    data.unpaired > 0 ? `${plural(data.unpaired, 'row')} without a counterpart` : '',
  ].filter(Boolean);
  const kind = data.kind === 'dataset' ? 'dataset' : 'label set';
  return ` (${kind}, ${data.state})${left.length > 0 ? `; left out: ${left.join(', ')}` : ''}`;
}

/** Settings of a suite's run. */
export interface SuiteChoice {
  readonly path: string;
  /** `KIND:ID` of data of the workspace; empty for the file. */
  readonly from: string;
  readonly suite: SuiteKind | '';
  readonly slice: string;
  readonly threshold: number | null;
}

/** Suites of one judge: what is run, the stored reports of all judges, and the one that is read. */
export class SuitesState {
  progress = $state.raw<{ readonly done: number; readonly total: number } | null>(null);
  datasets = $state.raw<readonly SuiteSource[]>([]);
  labelSets = $state.raw<readonly SuiteSource[]>([]);
  reports = $state.raw<readonly ListedSuite[] | null>(null);
  report = $state.raw<SuiteReport | null>(null);
  difference = $state.raw<SuiteDifference | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly runId: string;
  private readonly client: WhetstoneClient['suites'];
  private readonly sources: Pick<WhetstoneClient, 'datasets' | 'labels'>;
  private close: (() => void) | null = null;
  private opened = '';

  constructor(runId: string, client: Pick<WhetstoneClient, 'suites' | 'datasets' | 'labels'>) {
    [this.runId, this.client, this.sources] = [runId, client.suites, client];
  }

  async load(): Promise<void> {
    await this.attempt(async () => {
      this.reports = await this.client.list({});
      const [datasets, sets] = await Promise.all([
        allOf((page) => this.sources.datasets.list(page)),
        allOf((page) => this.sources.labels.sets(page)),
      ]);
      this.datasets = datasets.map(({ id, name }) => ({ key: `dataset:${id}`, name }));
      this.labelSets = sets.map(({ id, name }) => ({ key: `label-set:${id}`, name }));
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
  start({ path, from, suite, slice, threshold }: SuiteChoice, done: (id: string) => void): void {
    if (this.close) return;
    this.error = null;
    this.progress = { done: 0, total: 0 };
    let made: string | null = null;
    const data = dataOf(from);
    this.close = this.client.run(
      {
        from: { kind: 'run', id: this.runId },
        ...(data ? { data } : { path, ...(suite !== '' && { suite }) }),
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
