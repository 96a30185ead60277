import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlRunner, forkSql } from '../../main/store/sql/runner.ts';
import { makeWorkspace } from './query.ts';

/** Typical statements: a first page, counts by columns, texts, a sort, a join of the rows with themselves. */
const statements = [
  'select * from rows limit 100',
  'select count(*) from rows',
  'select topic, count(*), avg(difficulty) from rows group by topic',
  'select source, count(*), avg(length), avg(right) from rows group by source',
  'select source, count(*), avg(length(answer)) from rows group by source',
  "select count(*) from rows where answer like '%rare%'",
  'select row, difficulty from rows order by difficulty desc, row limit 100',
  'select id, tokens from rows where tokens > 60 limit 100',
  'select prompt, count(*) n from rows group by prompt having n > 1 limit 100',
  'select count(*) from rows a join rows b on a.prompt = b.prompt and a.right = 1 and b.right = 0',
];
/** Runs of each statement. */
const turns = 3;

/**
 * Measures SQL over a dataset of `count` rows, from the request to the result with 100 rows, in milliseconds:
 * the start of the process is part of it.
 */
export async function measureSql({ count }: { readonly count: number }): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-bench-'));
  try {
    mkdirSync(join(folder, 'artifacts'));
    makeWorkspace(join(folder, 'workspace.db'), count);
    const runner = new SqlRunner(folder, forkSql);
    const { signal } = new AbortController();
    const measured = [];
    for (const sql of statements) {
      const times: number[] = [];
      let total = 0;
      for (let turn = 0; turn < turns; turn += 1) {
        const start = performance.now();
        ({ total } = await runner.run({ dataset: 'bench', sql, limit: 100, seconds: 600 }, signal));
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      measured.push({ sql, total, medianMs: times[Math.floor(turns / 2)], worstMs: times[turns - 1] });
      console.error(`${times.map((time) => time.toFixed(0).padStart(7)).join('')} ms  ${sql}`);
    }
    return { rows: count, statements: measured };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
