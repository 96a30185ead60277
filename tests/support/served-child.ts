/**
 * Serves a workspace, which is made if there is none, to one page over the messages of this process, until it
 * is killed. Arguments: workspace, folder of the settings.
 */
import { openServices } from '../../main/headless/open.ts';
import { connection } from '../../main/ipc/serve.ts';
import { Config } from '../../main/services/config.ts';

const [workspacePath, settings] = process.argv.slice(2);
const { api } = await openServices({ workspacePath, create: true, config: new Config(settings) });
const page = connection(api, (frame) => process.send?.(frame));
process.on('message', (frame) => page.receive(frame));
process.send?.({ type: 'ready' });
