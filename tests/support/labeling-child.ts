/**
 * Labels the pairs of a workspace one by one and prints each accepted one, until it is killed. Arguments:
 * workspace, set.
 */
import { openFolder } from '../../main/store/folder.ts';

const [path, setId] = process.argv.slice(2);
const { store } = await openFolder(path);
for (;;) {
  const [pair] = await store.labels.queue(setId, [], 1);
  if (!pair) break;
  await store.labels.decide({
    pairId: pair.pairId,
    verdict: 'a',
    seconds: null,
    labeler: 'me',
    rationale: '',
  });
  process.stdout.write(`${pair.pairId}\n`);
}
