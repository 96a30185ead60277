import { basename, extname } from 'node:path';
import { openForeign, type ForeignDatabase } from '../../store/imported/foreign.ts';
import { isObject, looseJson, numberOf } from '../formats/loose-json.ts';
import type { LogFile, LogReader, LogSink, LogSource } from './reader.ts';

const SQLITE = Buffer.from('SQLite format 3\0');

/** Rows between two reports. */
const REPORTED = 2000;

interface Row {
  readonly rowid: number;
  readonly timestamp: string | null;
  readonly step: number | null;
  readonly metrics: string;
}

/** Runs of versions before run ids were by name. */
const keyColumn = (db: ForeignDatabase): string =>
  db.columns('metrics').includes('run_id') ? 'run_id' : 'run_name';

const withDatabase = <T>(path: string, use: (db: ForeignDatabase) => T): T => {
  const db = openForeign(path);
  try {
    return use(db);
  } finally {
    db.close();
  }
};

/** The runs of one file; none if its tables are not those of Trackio. */
async function runsOf({ path, name, bytes, head }: LogFile): Promise<LogSource[]> {
  if (!(await head()).subarray(0, SQLITE.length).equals(SQLITE)) return [];
  return withDatabase(path, (db) => {
    const columns = db.columns('metrics');
    if (!['run_name', 'step', 'metrics', 'timestamp'].every((each) => columns.includes(each))) return [];
    const key = keyColumn(db);
    const rows = db.rows<{ key: string; name: string; n: number }>(
      `select ${key} key, max(run_name) name, count(*) n from metrics group by ${key} order by min(rowid)`,
      [],
    );
    const runs = [...rows];
    const all = runs.reduce((sum, { n }) => sum + n, 0);
    return runs.map((run): LogSource => ({
      tool: 'trackio',
      name: run.name || basename(name, extname(name)),
      files: [path],
      bytes: Math.round((bytes * run.n) / all),
      part: run.key,
    }));
  });
}

/** ISO 8601, of UTC where it names no zone. */
const timeOf = (text: string | null): number =>
  text === null ? Number.NaN : Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);

function readRow({ rowid, timestamp, step, metrics }: Row, path: string, sink: LogSink): boolean {
  let values: unknown;
  try {
    values = looseJson(metrics);
  } catch (error) {
    sink.damaged({ path, at: `row ${rowid} of metrics`, reason: (error as Error).message });
    return false;
  }
  if (step === null || !isObject(values)) {
    sink.skipped('rows without a step');
    return true;
  }
  for (const [name, value] of Object.entries(values)) {
    const number = numberOf(value);
    if (number !== null) sink.point(name, step, timeOf(timestamp), number);
    else if (value !== null) sink.skipped('values that are no numbers');
  }
  return true;
}

function readConfig(db: ForeignDatabase, part: string, sink: LogSink): void {
  if (!db.columns('configs').includes('config')) return;
  const key = db.columns('configs').includes('run_id') ? 'run_id' : 'run_name';
  for (const { config } of db.rows<{ config: string }>(`select config from configs where ${key} = ?`, [
    part,
  ])) {
    const values = looseJson(config);
    if (isObject(values))
      sink.config(Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith('_'))));
  }
}

const rowsOf = (db: ForeignDatabase, part: string): IterableIterator<Row> =>
  db.rows<Row>(
    `select rowid, timestamp, step, metrics from metrics where ${keyColumn(db)} = ? order by rowid`,
    [part],
  );

/** Trackio: a database per project, in which each run has its rows. */
export const trackio: LogReader = {
  async find(files) {
    const own = files.filter(({ name }) => /\.(db|sqlite3?)$/.test(name));
    return (await Promise.all(own.map(runsOf))).flat();
  },
  async *read({ files: [path], part = '', bytes }, sink) {
    const db = openForeign(path);
    try {
      readConfig(db, part, sink);
      let rows = 0;
      for (const row of rowsOf(db, part)) {
        if (!readRow(row, path, sink)) break;
        rows += 1;
        if (rows % REPORTED === 0) yield 0;
      }
      yield bytes;
    } finally {
      db.close();
    }
  },
  *fingerprint({ files: [path], part = '' }) {
    const db = openForeign(path);
    try {
      for (const { timestamp, step, metrics } of rowsOf(db, part)) yield `${timestamp} ${step} ${metrics}\n`;
    } finally {
      db.close();
    }
  },
};
