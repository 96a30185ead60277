import type { Workspace } from '../../preload/contract/workspaces.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { Task } from '../lib/task.svelte.ts';

const lastPart = (path: string): string => path.trim().split(/[\\/]/).filter(Boolean).at(-1) ?? '';

/** State of creating and opening workspaces. */
export class WelcomeState {
  recent = $state.raw<readonly { path: string; name: string; openedAt: number; exists: boolean }[]>([]);
  newPath = $state('');
  newName = $state('');
  openPath = $state('');
  private offered = '';
  readonly task = new Task();

  async load(): Promise<void> {
    await this.task.run(async () => {
      const [recent, { path }] = await Promise.all([
        session.client.workspaces.recent({}),
        session.client.workspaces.defaultFolder({}),
      ]);
      this.recent = recent;
      if (this.newPath === this.offered) this.newPath = path;
      this.offered = path;
    });
  }

  /** Creates the workspace and opens it; `first` follows. */
  async create(first: () => void = () => undefined): Promise<void> {
    await this.task.run(async () => {
      await this.enter(
        await session.client.workspaces.create({
          path: this.newPath.trim(),
          name: this.newName.trim() || lastPart(this.newPath),
        }),
      );
      first();
    });
  }

  async open(path: string): Promise<void> {
    await this.task.run(async () => this.enter(await session.client.workspaces.open({ path: path.trim() })));
  }

  private async enter(workspace: Workspace): Promise<void> {
    await session.enter(workspace);
    router.go([]);
  }
}
