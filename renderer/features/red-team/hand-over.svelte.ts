import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Dataset } from '../../../preload/contract/datasets.ts';

type Client = Pick<WhetstoneClient, 'redTeam'>;
type Asked = Parameters<WhetstoneClient['redTeam']['toDataset']>[0];
export type HandOverKind = Asked['kind'];

/** Which attacks of which run are saved. */
export type Handed = Pick<Asked, 'runId' | 'above' | 'family' | 'search'>;

/** Successful attacks that become training data: refusals, or preferences for refusals. */
export class HandOver {
  kind = $state<HandOverKind>('refusals');
  /** The typed refusal; null while it is the suggested one. */
  refusal = $state<string | null>(null);
  /** The typed name; null while it is the suggested one. */
  name = $state<string | null>(null);
  busy = $state(false);
  saved = $state.raw<Dataset | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  nameFor(run: string): string {
    return this.name ?? `${this.kind === 'refusals' ? 'refusals' : 'refusal preferences'} after ${run}`;
  }

  /** Saves the attacks with this refusal under this name. */
  async save(handed: Handed, refusal: string, name: string): Promise<void> {
    if (this.busy) return;
    [this.busy, this.saved, this.error] = [true, null, null];
    try {
      this.saved = await this.client.redTeam.toDataset({ ...handed, kind: this.kind, refusal, name });
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }
}
