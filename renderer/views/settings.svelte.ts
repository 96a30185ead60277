import { WhetstoneError } from '../../engine/common/errors.ts';
import { SvelteSet } from 'svelte/reactivity';
import type { DeviceInfo } from '../../preload/contract/system.ts';
import { bytes } from '../lib/format.ts';
import { session } from '../lib/session.svelte.ts';
import { Task } from '../lib/task.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

type Usage = Awaited<ReturnType<typeof session.client.workspaces.usage>>;
type About = Awaited<ReturnType<typeof session.client.system.info>>;

interface Installing {
  readonly phase: 'fetching' | 'checking' | 'trying';
  readonly done: number;
  readonly total: number;
}

/** State of the settings: workspace upkeep, devices, facts about the app. */
export class SettingsState {
  usage = $state.raw<Usage | null>(null);
  devices = $state.raw<readonly DeviceInfo[]>([]);
  about = $state.raw<About | null>(null);
  checking = $state(true);
  /** True if loading the devices failed. */
  unread = $state(false);
  backupPath = $state('');
  /** Devices with a running self-check. */
  readonly underCheck = new SvelteSet<string>();
  readonly task = new Task();
  /** Progress of installing a device's library. */
  installing = $state.raw<Installing | null>(null);
  installError = $state.raw<WhetstoneError | null>(null);

  async load(): Promise<void> {
    this.about = (await session.attempt(() => session.client.system.info({}))) ?? null;
    if (session.workspace)
      this.usage = (await session.attempt(() => session.client.workspaces.usage({}))) ?? null;
    const devices = await session.attempt(() => session.client.system.devices({}));
    this.unread = devices === undefined;
    this.devices = devices ?? [];
    this.checking = false;
  }

  check = async (id: DeviceInfo['id']): Promise<void> => {
    this.underCheck.add(id);
    const checked = await session.attempt(() => session.client.system.checkDevice({ id }));
    if (checked) this.devices = this.devices.map((device) => (device.id === id ? checked : device));
    this.underCheck.delete(id);
  };

  install = (id: DeviceInfo['id'], source: string): void => {
    this.installing = { phase: 'fetching', done: 0, total: 0 };
    this.installError = null;
    session.client.system.installProvider(
      { id, source },
      (progress) => {
        this.installing = progress;
      },
      (error) => {
        this.installing = null;
        if (error !== undefined) this.installError = WhetstoneError.from(error);
        void this.load();
      },
    );
  };

  rename = (name: string): Promise<void> =>
    this.task.run(async () => {
      await session.client.workspaces.rename({ name });
      if (session.workspace) session.workspace = { ...session.workspace, name };
    });

  collect = (): Promise<void> =>
    this.task.run(async () => {
      const { freedBytes } = await session.client.workspaces.collect({});
      toasts.info(`Freed ${bytes(freedBytes)}.`);
      this.usage = await session.client.workspaces.usage({});
    });

  backup = (): Promise<void> =>
    this.task.run(async () => {
      const { path, bytes: size } = await session.client.workspaces.backup({ path: this.backupPath.trim() });
      toasts.info(`Backed up ${bytes(size)} into ${path}.`);
    });
}
