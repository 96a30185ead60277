import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Handlers } from '../../preload/contract/define.ts';
import type { workspaces } from '../../preload/contract/workspaces.ts';
import { backupTo, collectUnused, usage } from '../services/artifacts.ts';
import { defaultFolder } from '../services/default-folder.ts';
import type { Services } from '../services/services.ts';

const ok = { ok: true } as const;

export const workspacesHandlers = (services: Services): Handlers<typeof workspaces> => ({
  current: () => services.current(),
  create: ({ path, name }) => services.createWorkspace(path, name),
  open: ({ path }) => services.openWorkspace(path),
  recent: () =>
    services.config.recent.map((r) => ({ ...r, exists: existsSync(join(r.path, 'workspace.db')) })),
  defaultFolder: () => ({ path: defaultFolder() }),
  samples: () => {
    const { path } = services.samples;
    return path === null ? null : { path };
  },
  openSamples: () => services.samples.open(services),
  backup: ({ path }) => backupTo(services.store, services.folder, path),
  async rename({ name }) {
    await services.store.workspace.rename(name);
    services.config.opened(services.folder, name);
    return ok;
  },
  usage: () => usage(services.store, services.folder),
  collect: () => collectUnused(services.store, services.folder),
});
