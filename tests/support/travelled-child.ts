/** Makes a workspace with planted evaluations at the given path, and prints the ids of its runs as JSON. */
import { createFolder } from '../../main/store/folder.ts';
import { plantTravel, travelled } from './travelled.ts';

const folder = await createFolder(process.argv[2] ?? '');
const ids = await plantTravel(folder.store, travelled);
await folder.close();
process.stdout.write(`${JSON.stringify(ids)}\n`);
