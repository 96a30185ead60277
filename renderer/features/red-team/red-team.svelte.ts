import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { RedTeam, RedTeamAttack, RedTeamMap } from '../../../preload/contract/red-team.ts';
import { NumberEntry } from '../../lib/number-entry.svelte.ts';
import { HandOver } from './hand-over.svelte.ts';
import { PLAIN_REFUSAL } from './refusal.ts';
import { Paced } from '../../lib/paced.ts';

/** What part of the archive is shown. */
export interface Shown {
  readonly show: 'all' | 'successful' | 'failed';
  readonly family: string | null;
  readonly search: string;
  readonly distinct: boolean;
}

export const PAGE = 50;
/** The map is read again at most this often: its plane takes half a second of computation. */
const MAP_EVERY_MS = 3000;

type Client = Pick<WhetstoneClient, 'redTeam'>;

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
  /** The attacks in a plane; null until they are read. */
  map = $state.raw<RedTeamMap | null>(null);
  /** Id of the attack that is open: the map rings it, the archive shows it in bold. */
  opened = $state<string | null>(null);
  /** Id of an attack that the archive has to show once it has its page; null if it need not move. */
  arriving = $state<string | null>(null);
  readonly handOver: HandOver;
  private around: string | null = null;
  private readonly runId: string;
  private readonly client: Client;
  private readonly reading = new Paced(() => this.read());
  private mapTimer: ReturnType<typeof setTimeout> | null = null;
  private mapDue = 0;
  private isMapping = false;
  private isStopped = false;

  constructor(runId: string, client: Client) {
    this.runId = runId;
    this.client = client;
    this.handOver = new HandOver(client);
  }

  /**
   * The reply that the target learns to attacks that succeed: the typed one, else its own commonest reply to
   * harmful attacks where the world knows these, else a plain refusal.
   */
  get refusal(): string {
    const own = this.facts?.hasFamilies === true ? this.facts.refusal : null;
    return this.handOver.refusal ?? own ?? PLAIN_REFUSAL;
  }

  /** Reads soon, at most once a second. */
  ask(): void {
    this.isStopped = false;
    this.reading.ask();
  }

  stop(): void {
    this.isStopped = true;
    this.reading.stop();
    if (this.mapTimer) clearTimeout(this.mapTimer);
    this.mapTimer = null;
  }

  /** Opens an attack in the archive, at its page among all of them. */
  open(id: string): void {
    this.opened = id;
    this.around = id;
    this.choose({ show: 'all', family: null, search: '', distinct: true });
  }

  /** Notes that the archive has moved to the attack that it had to show. */
  arrived(): void {
    this.arriving = null;
  }

  choose(change: Partial<Shown>): void {
    this.shown = { ...this.shown, ...change };
    this.offset = 0;
    this.ask();
  }

  setAbove(above: number): void {
    if (above === this.above) return;
    this.above = above;
    // families by likeness are of the attacks that succeed, and begin anew
    if (this.facts?.hasFamilies === false) this.shown = { ...this.shown, family: null };
    this.offset = 0;
    this.ask();
  }

  page(by: number): void {
    this.offset = Math.max(0, this.offset + by * PAGE);
    this.ask();
  }

  private async read(): Promise<void> {
    const { runId, above, shown, offset, around } = this;
    try {
      const [facts, page] = await Promise.all([
        this.client.redTeam.of({ runId, above }),
        this.client.redTeam.attacks({ runId, above, ...shown, offset, limit: PAGE, around }),
      ]);
      [this.facts, this.attacks, this.total, this.error] = [facts, page.attacks, page.total, null];
      if (around !== null && around === this.around) {
        [this.around, this.offset] = [null, page.offset];
        this.arriving = page.around;
        if (page.around !== null) this.opened = page.around;
      }
      this.followMap();
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Reads the map soon, if there are attacks that it lacks. */
  private followMap(): void {
    if (this.mapTimer !== null || this.isMapping || this.isStopped) return;
    // the map may know newer attacks than the facts, which are read at another moment
    if (this.map !== null && this.map.attacks >= (this.facts?.attacks ?? 0)) return;
    this.mapTimer = setTimeout(
      () => {
        this.mapTimer = null;
        void this.readMap();
      },
      Math.max(0, this.mapDue - performance.now()),
    );
  }

  private async readMap(): Promise<void> {
    this.isMapping = true;
    try {
      this.map = await this.client.redTeam.map({ runId: this.runId });
      this.mapDue = performance.now() + MAP_EVERY_MS;
    } catch (error) {
      this.error = WhetstoneError.from(error);
      return;
    } finally {
      this.isMapping = false;
    }
    this.followMap();
  }
}
