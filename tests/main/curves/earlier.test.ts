import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../../main/store/client.ts';
import { openDatabase } from '../../../main/store/database.ts';
import { migrations } from '../../../main/store/migrations/index.ts';
import { asBuckets, bruteCurve, type Recorded } from '../../support/brute-curves.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { parsedSpec } from '../../support/workspace.ts';

const chunk = 256;
const bytes = (values: Float64Array): Buffer => Buffer.from(values.buffer);

/** A workspace of the version before the levels: 40 chunks of one attempt, and a tail that a run left. */
function earlierWorkspace(folder: string, points: readonly Recorded[]): void {
  const db = openDatabase(join(folder, 'workspace.db'), {
    create: true,
    migrations: migrations.filter(({ version }) => version < 25),
  });
  db.prepare("insert into workspace values (1, 'id', 'old', 0)").run();
  db.prepare(
    "insert into runs (id, name, state, method, spec, created_at, queued_at) values ('r', '', 'done', 'sft', ?, 0, 0)",
  ).run(JSON.stringify(parsedSpec()));
  db.prepare("insert into metric_series (id, run_id, role, name) values (1, 'r', 'policy', 'loss')").run();
  const insert = db.prepare('insert into metric_chunks values (1, 1, ?, ?, ?, ?, ?, 0, 1, 0, ?, ?, ?)');
  const row = db.prepare('insert into metric_points values (1, 1, ?, ?, ?, ?)');
  const whole = points.length - (points.length % chunk);
  for (let at = 0; at < whole; at += chunk) {
    const part = points.slice(at, at + chunk);
    const steps = Float64Array.from(part, ({ step }) => step);
    const values = Float64Array.from(part, ({ value }) => value);
    const ends = [steps[0], steps[chunk - 1]];
    insert.run(at + 1, ...ends, chunk, 0, bytes(steps), bytes(steps), bytes(values));
  }
  points.slice(whole).forEach(({ step, value }, i) => row.run(whole + i + 1, step, step, value));
  db.close();
}

it('a workspace of an earlier version shows the same curves before and after its levels are built', async () => {
  const folder = temporaryFolder();
  const points = Array.from({ length: 40 * chunk + 200 }, (_none, i): Recorded => ({
    attempt: 1,
    step: i + 1,
    value: i === 7777 ? 50 : Math.sin(i * i),
  }));
  earlierWorkspace(folder, points);
  const path = join(folder, 'workspace.db');
  const levels = (): unknown => {
    const db = openDatabase(path, { create: false });
    try {
      return db
        .prepare('select height, count(*) n from metric_levels group by height order by height')
        .raw()
        .all();
    } finally {
      db.close();
    }
  };
  expect(levels()).toEqual([]);
  const store = await openStore({ folder, create: false });
  try {
    const read = async (): Promise<unknown> => {
      const query = { runIds: ['r'], names: ['loss'], from: 0, to: null, points: 100 };
      return asBuckets((await store.client.metrics.series(query))[0]);
    };
    const expected = bruteCurve(points, 0, Number.MAX_VALUE, 100);
    expect(await read()).toEqual(expected);
    await expect.poll(levels).toEqual([
      [0, 40],
      [1, 2],
    ]);
    expect(await read()).toEqual(expected);
  } finally {
    await store.close();
  }
});
