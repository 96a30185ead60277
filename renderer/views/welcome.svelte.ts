import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';

const lastPart = (path: string): string => path.trim().split(/[\\/]/).filter(Boolean).at(-1) ?? '';

/** Creating and opening workspaces. */
export class WelcomeState {
  recent = $state.raw<readonly { path: string; name: string; openedAt: number; exists: boolean }[]>([]);
  newPath = $state('');
  newName = $state('');
  openPath = $state('');
  busy = $state(false);
  error = $state.raw<WhetstoneError | null>(null);

  async load(): Promise<void> {
    await this.run(async () => { this.recent = await session.client.workspaces.recent({}); });
  }

  async create(): Promise<void> {
    await this.run(async () => this.enter(await session.client.workspaces.create({ path: this.newPath.trim(), name: this.newName.trim() || lastPart(this.newPath) })));
  }

  async open(path: string): Promise<void> {
    await this.run(async () => this.enter(await session.client.workspaces.open({ path: path.trim() })));
  }

  private async enter(workspace: Workspace): Promise<void> {
    await session.enter(workspace);
    router.go(['datasets']);
  }

  private async run(action: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await action();
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }
}
