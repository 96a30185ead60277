import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { entryOf } from '../../engine/common/entry.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import packageFacts from '../../package.json' with { type: 'json' };
import { forkEngine } from '../engine-host/channel.ts';
import { handlersOf } from '../ipc/index.ts';
import { ShippedSamples } from '../services/shipped-samples.ts';
import { Services, type Desktop, type ServicesOptions } from '../services/services.ts';
import { waitForRun, type Workbench } from '../services/workbench.ts';

export const version: string = packageFacts.version;

/** The desktop functions without window and dialogs, for the command line and the page in a browser. */
export const withoutDesktop: Desktop = {
  transport: 'loopback',
  version,
  electron: null,
  choosePath: () => Promise.resolve(null),
};

/** The engine's entry in the source tree or beside this bundle, started on this Node. */
export const engineEntry = fileURLToPath(
  entryOf(import.meta.url, '../../engine/process/index.ts', './engine-process.js'),
);

/** Finished samples, made by `npm run samples`. */
const samplesFolder = fileURLToPath(new URL('../../dist/samples', import.meta.url));

export type OpenOptions = Partial<
  Pick<ServicesOptions, 'spawnEngine' | 'config' | 'samples' | 'times' | 'desktop'>
>;

/** Services outside Electron: engines are forked Node processes. */
export const plainServices = (options: OpenOptions = {}): Services =>
  new Services({
    spawnEngine: forkEngine(engineEntry),
    desktop: withoutDesktop,
    samples: new ShippedSamples(samplesFolder),
    ...options,
  });

export interface OpenServices extends Workbench {
  readonly services: Services;
  close(): Promise<void>;
}

/**
 * A workspace with all services in this process: the store's thread, engine processes, the handlers for
 * pages. `create`: makes the workspace if it does not exist. Throws the errors of opening it.
 */
export async function openServices({
  workspacePath,
  create = false,
  ...options
}: { workspacePath: string; create?: boolean } & OpenOptions): Promise<OpenServices> {
  const services = plainServices(options);
  try {
    await (create ? services.openOrCreateWorkspace(workspacePath) : services.openWorkspace(workspacePath));
  } catch (error) {
    await services.close();
    throw error;
  }
  return {
    services,
    api: handlersOf(services),
    waitForRun: (runId, onChange) => waitForRun(services, runId, onChange),
    close: () => services.close(),
  };
}

/** The built page, for `serve`. Throws `not-found` if it was not built. */
export function pageFolder(): string {
  const folder = fileURLToPath(new URL('../../dist/renderer', import.meta.url));
  if (!existsSync(folder))
    throw new WhetstoneError('not-found', 'The page is not built.', {
      where: folder,
      hint: 'Run "npm ci" and then "npm run build".',
    });
  return folder;
}
