import { untrack } from 'svelte';
import type { WhetstoneError } from '../../engine/common/errors.ts';
import type { Experiment } from '../../preload/contract/experiments.ts';
import { Paced } from '../lib/paced.ts';
import { session } from '../lib/session.svelte.ts';

/** The experiments of the workspace, or one of them, read again as their runs change. */
export class ExperimentsView {
  list = $state.raw<readonly Experiment[] | null>(null);
  one = $state.raw<Experiment | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly id: string | null;
  private readonly reading = new Paced(() => this.read());

  constructor(id: string | null) {
    this.id = id;
  }

  /** Reads now and after each change of state of any run, until the returned function is called. */
  follow(): () => void {
    this.reading.ask(true);
    return () => this.reading.stop();
  }

  changed(): void {
    untrack(() => this.reading.ask(false));
  }

  private async read(): Promise<void> {
    const { experiments } = session.client;
    try {
      if (this.id === null) this.list = await experiments.list({});
      else this.one = await experiments.get({ id: this.id });
      this.error = null;
    } catch (error) {
      this.error = error as WhetstoneError;
    }
  }

  stop = (): Promise<void> => this.act((id) => session.client.experiments.stop({ id }));
  goOn = (): Promise<void> => this.act((id) => session.client.experiments.goOn({ id }));

  /** Removes the experiment; resolves with whether it is gone. */
  async remove(): Promise<boolean> {
    const { id } = this;
    if (id === null) return false;
    return (await session.attempt(() => session.client.experiments.remove({ id }))) !== undefined;
  }

  private async act(action: (id: string) => Promise<unknown>): Promise<void> {
    const { id } = this;
    if (id === null) return;
    await session.attempt(() => action(id));
    this.reading.ask(true);
  }
}
