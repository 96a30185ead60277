import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { DatasetVersion } from '../../../preload/contract/versions.ts';

type Client = WhetstoneClient['versions'];
export type Compared = Awaited<ReturnType<Client['diff']>> & {
  readonly from: string;
  readonly to: string | null;
};

/** The versions of one dataset: saved, checked against their recipe, and compared. */
export class VersionsState {
  list = $state.raw<readonly DatasetVersion[] | null>(null);
  busy = $state(false);
  name = $state('');
  compared = $state.raw<Compared | null>(null);
  /** True if a version was rebuilt to the same rows, by name. */
  checked = $state.raw<Readonly<Record<string, boolean>>>({});
  private readonly client: Client;
  private readonly id: string;
  private readonly onError: (error: unknown) => void;

  constructor(client: Client, id: string, onError: (error: unknown) => void) {
    this.client = client;
    this.id = id;
    this.onError = onError;
    void this.attempt(() => this.load());
  }

  async save(): Promise<void> {
    const name = this.name.trim();
    if (name === '') return;
    await this.attempt(async () => {
      await this.client.save({ id: this.id, name });
      this.name = '';
      await this.load();
    });
  }

  /** Builds a version from its recipe, and compares the hash. */
  async check(name: string): Promise<void> {
    await this.attempt(async () => {
      const { isSame } = await this.client.rebuild({ id: this.id, name });
      this.checked = { ...this.checked, [name]: isSame };
    });
  }

  /** Compares a version with another one; null: with the rows as they are now. */
  async compare(from: string, to: string | null): Promise<void> {
    await this.attempt(async () => {
      const found = await this.client.diff({ id: this.id, from, ...(to !== null && { to }) });
      this.compared = { ...found, from, to };
    });
  }

  /** Reads the list again, after another has saved a version. */
  async reload(): Promise<void> {
    await this.attempt(() => this.load());
  }

  private async load(): Promise<void> {
    this.list = await this.client.list({ id: this.id });
  }

  private async attempt(action: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      await action();
    } catch (error) {
      this.onError(error);
    } finally {
      this.busy = false;
    }
  }
}
