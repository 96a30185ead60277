import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { stream } from '../../engine/random/random.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import { Connection } from '../../renderer/lib/client.ts';
import { Labeling, type LabelPort } from '../../renderer/features/labeling/labeling.svelte.ts';
import { temporaryFolder } from '../support/folder.ts';
import { KillableServices } from '../support/killable-services.ts';

/** A write that the page requested. `isDone`: the services said so; otherwise they may have made it or not. */
interface Write {
  readonly event: 'label' | 'undo';
  /** The pair that it concerns; unknown for an undo that was not answered. */
  pairId: string | null;
  readonly choice: string | null;
  isDone: boolean;
}

/** The calls of a page, with its writes recorded. */
function recorded(port: LabelPort): { port: LabelPort; writes: Write[] } {
  const writes: Write[] = [];
  return {
    writes,
    port: {
      ...Object.fromEntries(
        (['queue', 'redo', 'recent', 'progress', 'pair', 'reference'] as const).map((name) => [
          name,
          port[name],
        ]),
      ),
      decide: async (input) => {
        const write: Write = { event: 'label', pairId: input.pairId, choice: input.verdict, isDone: false };
        writes.push(write);
        const progress = await port.decide(input);
        write.isDone = true;
        return progress;
      },
      undo: async (input) => {
        const write: Write = { event: 'undo', pairId: null, choice: null, isDone: false };
        writes.push(write);
        const pair = await port.undo(input);
        write.isDone = true;
        if (pair) write.pairId = pair.pairId;
        else writes.splice(writes.indexOf(write), 1);
        return pair;
      },
    } as LabelPort,
  };
}

type Stored = {
  sequence: number;
  pair_id: string;
  event: string;
  choice: string | null;
  undoes: number | null;
};

/** Events on disk, in order, with the choice as the screen makes it. */
const storedIn = (db: Database.Database): Stored[] =>
  db
    .prepare<[], Stored>(
      `select e.sequence, e.pair_id, e.event, e.undoes,
        case when e.verdict in ('a', 'b') then iif(e.verdict = p.left_is, 'left', 'right') else e.verdict end choice
      from label_events e join pairs p on p.id = e.pair_id order by e.sequence`,
    )
    .all();

/** Writes without their event: lost ones. Events that no write explains: doubled ones. */
function compared(writes: readonly Write[], events: readonly Stored[]) {
  const isOf = (write: Write, event: Stored | undefined): boolean =>
    event !== undefined &&
    (write.event === 'undo') === (event.event === 'undo') &&
    (write.pairId === null || write.pairId === event.pair_id) &&
    (write.event === 'undo' || write.choice === event.choice);
  let at = 0;
  const lost: Write[] = [];
  for (const write of writes)
    if (isOf(write, events.at(at))) at += 1;
    else if (write.isDone) lost.push(write);
  return { lost, doubled: events.slice(at) };
}

/** The current choice of each pair, replayed from the log alone. */
function replayed(events: readonly Stored[]): Map<string, string | null> {
  const undone = new Set(events.map(({ undoes }) => undoes));
  return new Map(
    events
      .filter(({ event, sequence }) => event !== 'undo' && !undone.has(sequence))
      .map(({ pair_id: pair, choice }) => [pair, choice]),
  );
}

/** A set of 10,500 pairs, from an imported file. */
async function makeSet(client: WhetstoneClient, path: string): Promise<LabelSet> {
  const lines = Array.from({ length: 21_000 }, (_none, at) =>
    JSON.stringify({ prompt: `question ${at >> 1}`, answer: `answer ${at}` }),
  );
  writeFileSync(path, lines.join('\n'));
  const datasetId = await new Promise<string>((resolve, reject) => {
    client.datasets.import(
      { path },
      (progress) => progress.state === 'done' && resolve(progress.dataset.id),
      reject,
    );
  });
  return client.labels.createSet({ from: { kind: 'dataset', datasetId }, pairsPerPrompt: 1 });
}

const choices = ['left', 'right', 'tie', 'both-bad', 'skip'] as const;

it('10,000 labels with undo, reloads and killed services: none is lost, none is stored twice', async () => {
  const folder = temporaryFolder();
  const workspace = join(folder, 'workspace');
  const services = new KillableServices(workspace, join(folder, 'settings'));
  onTestFinished(() => services.kill());
  const page = new Connection(services);
  page.start();
  await services.open();
  const set = await makeSet(page.client, join(folder, 'answers.jsonl'));
  const { port, writes } = recorded(page.client.labels);
  const screen = { now: () => performance.now(), afterPaint: (done: () => void) => void setImmediate(done) };
  const loaded = async (): Promise<Labeling> => {
    const labeling = new Labeling(set.id, port, screen);
    await labeling.start();
    return labeling;
  };

  const random = stream(7, 'labeler');
  let labeling = await loaded();
  let kills = 0;
  const decided = () => writes.filter(({ event, isDone }) => event === 'label' && isDone).length;
  for (let burst = 1; decided() < 10_000; burst += 1) {
    const keys = Array.from({ length: 1 + random.int(30) }, () =>
      random.next() < 0.08 ? labeling.undo() : labeling.press(choices[random.int(choices.length)]),
    );
    if (burst % 90 === 0) {
      await Promise.race([
        Promise.all(keys.slice(0, random.int(keys.length) + 1)),
        page.client.labels.progress({ setId: set.id }),
      ]);
      await services.kill();
      kills += 1;
      await Promise.all(keys);
      await services.open();
      // every other time, the page goes on as it is
      if (kills % 2 === 0) labeling = await loaded();
    } else if (burst % 40 === 0) {
      labeling.drop(); // the page is closed with keys and writes under way
      labeling = await loaded();
    } else await Promise.all(keys);
  }
  await page.client.labels.progress({ setId: set.id });
  await services.kill();

  const db = new Database(join(workspace, 'workspace.db'));
  onTestFinished(() => void db.close());
  const events = storedIn(db);
  expect(kills).toBeGreaterThanOrEqual(5);
  expect(compared(writes, events)).toEqual({ lost: [], doubled: [] });
  const current = replayed(events);
  const labels = db
    .prepare<[], { pair_id: string; choice: string }>(
      `select l.pair_id, case when l.verdict in ('a', 'b') then iif(l.is_left, 'left', 'right') else l.verdict end choice
      from labeler_labels l order by l.sequence`,
    )
    .all();
  expect(new Map(labels.map(({ pair_id: pair, choice }) => [pair, choice]))).toEqual(current);
  const sides = [...current.values()].filter((choice) => choice === 'left' || choice === 'right');
  expect(db.prepare('select labeler, labeled, decided, lefts from labeler_counts').all()).toEqual([
    {
      labeler: 'me',
      labeled: current.size,
      decided: sides.length,
      lefts: sides.filter((choice) => choice === 'left').length,
    },
  ]);
  expect(db.prepare('select count(*) from pairs where verdict is not null').pluck().get()).toBe(current.size);
}, 600_000);
