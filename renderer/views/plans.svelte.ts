import { untrack } from 'svelte';
import type { WhetstoneError } from '../../engine/common/errors.ts';
import type { Plan } from '../../preload/contract/plans.ts';
import { isLive, type RunState } from '../../preload/wire/run-states.ts';
import type { ArenaActions } from '../features/plans/arena.ts';
import { GalleryState } from '../features/gallery/gallery.svelte.ts';
import { PlanRedTeams } from '../features/plans/red-teams.svelte.ts';
import { Paced } from '../lib/paced.ts';
import { session } from '../lib/session.svelte.ts';

/** The time that is left is read again after this, in milliseconds, while runs tell of all else. */
const AGAIN = 10_000;

/**
 * True while no run tells that a plan has changed: its rows are being made, or its next run is about to
 * begin.
 */
const isBetweenRuns = (plan: Plan | null): boolean =>
  plan?.state === 'running' && plan.nodes.every(({ state }) => !isLive({ state: state as RunState }));

/** The plans of the workspace, or one of them, read again as their runs change. */
export class PlansView {
  list = $state.raw<readonly Plan[] | null>(null);
  one = $state.raw<Plan | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  readonly redTeams = new PlanRedTeams(session.client);
  readonly gallery = new GalleryState(session.client);
  private readonly id: string | null;
  private isFollowed = false;
  private later: ReturnType<typeof setTimeout> | undefined;
  private readonly reading = new Paced(() => this.read());

  constructor(id: string | null) {
    this.id = id;
  }

  /** Reads now and after each change of any run, until the returned function is called. */
  follow(): () => void {
    this.isFollowed = true;
    this.reading.ask(true);
    return () => {
      this.isFollowed = false;
      clearTimeout(this.later);
      this.reading.stop();
    };
  }

  changed(): void {
    untrack(() => this.reading.ask(false));
  }

  private async read(): Promise<void> {
    const { plans } = session.client;
    try {
      if (this.id === null) this.list = await plans.list({});
      else {
        this.one = await plans.get({ id: this.id });
        await this.redTeams.read(this.one, session.runs);
        await this.gallery.read(this.one, session.runs);
      }
      this.error = null;
    } catch (error) {
      this.error = error as WhetstoneError;
    }
    if (!this.isFollowed) return;
    clearTimeout(this.later);
    // a read that failed once hides nothing that was read before
    if (isBetweenRuns(this.one) || (this.error !== null && (this.one ?? this.list))) this.reading.ask();
    else if (this.one?.state === 'running') this.later = setTimeout(() => this.reading.ask(), AGAIN);
  }

  stop = (): Promise<void> => this.act((id) => session.client.plans.stop({ id }));
  goOn = (): Promise<void> => this.act((id) => session.client.plans.goOn({ id }));

  /** Decides about a candidate of an arena; resolves with whether that was done. */
  decide: ArenaActions['decide'] = async (arena, { id: candidate, ...wish }) => {
    const { id } = this;
    if (id === null) return false;
    const asked = { id, arena, candidate, ...wish };
    const decided = await session.attempt(() => session.client.plans.decide(asked));
    this.reading.ask(true);
    return decided !== undefined;
  };

  /** Removes the plan; resolves with whether it is gone. */
  async remove(): Promise<boolean> {
    const { id } = this;
    if (id === null) return false;
    return (await session.attempt(() => session.client.plans.remove({ id }))) !== undefined;
  }

  private async act(action: (id: string) => Promise<unknown>): Promise<void> {
    const { id } = this;
    if (id === null) return;
    await session.attempt(() => action(id));
    this.reading.ask(true);
  }
}
