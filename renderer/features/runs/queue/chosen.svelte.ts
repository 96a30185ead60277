import { SvelteSet } from 'svelte/reactivity';
import type { Bulk } from '../../../../preload/contract/queue.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { plural } from '../../../lib/format.ts';

type Port = Pick<WhetstoneClient['queue'], 'stop' | 'resume' | 'archive'>;

/** Runs that are chosen in the list for one action on all of them. */
export class ChosenRuns {
  /** True if the list shows its boxes. */
  isOn = $state(false);
  readonly ids = new SvelteSet<string>();
  private readonly port: Port;
  private readonly say: (text: string) => void;

  constructor(port: Port, say: (text: string) => void) {
    this.port = port;
    this.say = say;
  }

  toggle(id: string): void {
    if (!this.ids.delete(id)) this.ids.add(id);
  }

  /** Shows the boxes, or hides them and forgets what was chosen. */
  switch(): void {
    this.isOn = !this.isOn;
    this.ids.clear();
  }

  stop = (): Promise<void> => this.act('stopped', (ids) => this.port.stop({ ids }));
  resume = (): Promise<void> => this.act('queued again', (ids) => this.port.resume({ ids }));
  archive = (archived: boolean): Promise<void> =>
    this.act(archived ? 'archived' : 'unarchived', (ids) => this.port.archive({ ids, archived }));

  private async act(done: string, action: (ids: string[]) => Promise<Bulk>): Promise<void> {
    const { changed, refused } = await action([...this.ids]);
    const why = refused.length ? ` ${plural(refused.length, 'run')} not: ${refused[0].error.message}` : '';
    this.say(`${plural(changed.length, 'run')} ${done}.${why}`);
    for (const id of changed) this.ids.delete(id);
  }
}
