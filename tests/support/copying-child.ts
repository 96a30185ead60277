/**
 * Imports a file, or imports it and copies its rows into another dataset, and prints the number of rows stored
 * so far, until it is killed. Arguments: workspace, file, `import` or `derive`.
 */
import { importDataset } from '../../main/import/index.ts';
import { makeDataset } from '../../main/services/deriving/make.ts';
import { createFolder } from '../../main/store/folder.ts';

const [path, file, work] = process.argv.slice(2);
const { store } = await createFolder(path);
const { signal } = new AbortController();
const print = (rows: number): void => void process.stdout.write(`${rows}\n`);
const dataset = await importDataset(
  store,
  { path: file, name: 'long', keepGoodLines: false },
  signal,
  (progress) => {
    if (work === 'import' && progress.state === 'reading') print(progress.rows);
  },
);
if (work === 'derive')
  await makeDataset(
    store,
    {
      recipe: { kind: 'query', from: { datasetId: dataset.id, query: '' }, marks: false },
      name: 'half',
      author: 'me',
    },
    signal,
    (progress) => {
      if (progress.state === 'copying') print(progress.done);
    },
  );
