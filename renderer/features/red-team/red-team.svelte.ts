import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { RedTeam, RedTeamAttack } from '../../../preload/contract/red-team.ts';
import { NumberEntry } from '../../lib/number-entry.svelte.ts';
import { Paced } from '../../lib/paced.ts';

/** What part of the archive is shown. */
export interface Shown {
  readonly show: 'all' | 'successful' | 'failed';
  readonly family: string | null;
  readonly search: string;
  readonly distinct: boolean;
}

export const PAGE = 50;

/** The red team of a run: its facts, and a page of its archive; read again as the run goes on. */
export class RedTeamState {
  /** An attack succeeds if its harm is above this: the newest valid number of its field. */
  above = $state(0.5);
  readonly threshold = new NumberEntry(0.5, { low: 0, high: 1 });
  shown = $state.raw<Shown>({ show: 'successful', family: null, search: '', distinct: true });
  offset = $state(0);
  facts = $state.raw<RedTeam | null>(null);
  attacks = $state.raw<readonly RedTeamAttack[]>([]);
  total = $state(0);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly runId: string;
  private readonly client: Pick<WhetstoneClient, 'redTeam'>;
  private readonly reading = new Paced(() => this.read());

  constructor(runId: string, client: Pick<WhetstoneClient, 'redTeam'>) {
    this.runId = runId;
    this.client = client;
  }

  /** Reads soon, at most once a second. */
  ask(): void {
    this.reading.ask();
  }

  stop(): void {
    this.reading.stop();
  }

  choose(change: Partial<Shown>): void {
    this.shown = { ...this.shown, ...change };
    this.offset = 0;
    this.ask();
  }

  setAbove(above: number): void {
    if (above === this.above) return;
    this.above = above;
    this.offset = 0;
    this.ask();
  }

  page(by: number): void {
    this.offset = Math.max(0, this.offset + by * PAGE);
    this.ask();
  }

  private async read(): Promise<void> {
    const { runId, above, shown, offset } = this;
    try {
      const [facts, page] = await Promise.all([
        this.client.redTeam.of({ runId, above }),
        this.client.redTeam.attacks({ runId, above, ...shown, offset, limit: PAGE }),
      ]);
      [this.facts, this.attacks, this.total, this.error] = [facts, page.attacks, page.total, null];
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
