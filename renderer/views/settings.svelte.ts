import { WhetstoneError } from '../../engine/schema/errors.ts';
import { bytes } from '../lib/format.ts';
import { session } from '../lib/session.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

type Device = Awaited<ReturnType<typeof session.client.system.devices>>[number];
type Usage = Awaited<ReturnType<typeof session.client.workspaces.usage>>;
type About = Awaited<ReturnType<typeof session.client.system.info>>;

/** Workspace upkeep, devices, facts about the app. */
export class SettingsState {
  usage = $state.raw<Usage | null>(null);
  devices = $state.raw<readonly Device[]>([]);
  about = $state.raw<About | null>(null);
  checking = $state(true);
  backupPath = $state('');
  busy = $state(false);
  error = $state.raw<WhetstoneError | null>(null);

  async load(): Promise<void> {
    this.about = (await session.attempt(() => session.client.system.info({}))) ?? null;
    if (session.workspace) this.usage = (await session.attempt(() => session.client.workspaces.usage({}))) ?? null;
    this.devices = (await session.attempt(() => session.client.system.devices({}))) ?? [];
    this.checking = false;
  }

  rename = (name: string): Promise<void> => this.run(async () => {
    await session.client.workspaces.rename({ name });
    if (session.workspace) session.workspace = { ...session.workspace, name };
  });

  collect = (): Promise<void> => this.run(async () => {
    const { freedBytes } = await session.client.workspaces.collect({});
    toasts.say(`Freed ${bytes(freedBytes)}.`);
    this.usage = await session.client.workspaces.usage({});
  });

  backup = (): Promise<void> => this.run(async () => {
    const { path, bytes: size } = await session.client.workspaces.backup({ path: this.backupPath.trim() });
    toasts.say(`Backed up ${bytes(size)} into ${path}.`);
  });

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
