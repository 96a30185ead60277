import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { StoredImport } from '../../../preload/contract/label-import.ts';
import { Task } from '../../lib/task.svelte.ts';

type Port = Pick<WhetstoneClient['labelImport'], 'list' | 'remove'>;

/** The imports of a set, and their removal. */
export class Imports {
  all = $state.raw<readonly StoredImport[]>([]);
  readonly task = new Task();
  private readonly setId: string;
  private readonly port: Port;

  constructor(setId: string, port: Port) {
    [this.setId, this.port] = [setId, port];
  }

  async load(): Promise<void> {
    await this.task.run(() => this.read());
  }

  /** Takes the labels of an import back, all of them together. */
  async remove(importId: string): Promise<void> {
    await this.task.run(async () => {
      await this.port.remove({ setId: this.setId, importId });
      await this.read();
    });
  }

  private async read(): Promise<void> {
    this.all = await this.port.list({ setId: this.setId });
  }
}
