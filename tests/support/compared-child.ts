/** Makes a workspace with planted runs at the given path, and prints their ids as JSON. */
import { createFolder } from '../../main/store/folder.ts';
import { comparedRuns, plantRuns } from './compared-runs.ts';

const folder = await createFolder(process.argv[2] ?? '');
const ids = await plantRuns(folder.store, comparedRuns);
await folder.close();
process.stdout.write(`${JSON.stringify(ids)}\n`);
