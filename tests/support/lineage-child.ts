/** Makes a workspace with a planted loop at the given path, and prints its ids as JSON. */
import { createFolder } from '../../main/store/folder.ts';
import { plantLoop } from './lineage.ts';

const folder = await createFolder(process.argv[2] ?? '');
const ids = await plantLoop(folder, 15);
await folder.close();
process.stdout.write(`${JSON.stringify(ids)}\n`);
