import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Dataset, ImportProgress, PreviewProgress } from '../../preload/contract/datasets.ts';
import { openServices } from '../../main/headless/open.ts';
import { openReadOnly } from '../../main/store/database.ts';
import { cli } from '../support/cli.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';

const rest = {
  id: 'x',
  deep: { list: [1, null, { a: 'ü' }] },
  big: 1e308,
  text: 'line\nline',
  zero: 0,
  no: false,
};
const awkward = { prompt: 'p', answer: 'a', label: 1, ...rest };

/** The last value of a feed. */
async function last<T>(feed: AsyncIterable<T>): Promise<T | undefined> {
  let value: T | undefined;
  for await (const each of feed) value = each;
  return value;
}

describe('an import reports the use of every column and line before storing any', () => {
  it('previews without storing, and keeps the announced columns with each row', async () => {
    const at = temporaryFolder();
    const path = join(at, 'rows.jsonl');
    writeFileSync(path, `${JSON.stringify(awkward)}\n{"prompt": "p", "answer": ""}\n`);
    const bench = await openServices({ workspacePath: join(at, 'w'), create: true });
    const { datasets } = bench.api;
    const { signal } = new AbortController();
    const looked = await last<PreviewProgress>(datasets.preview({ path }, signal));
    expect(looked).toMatchObject({
      state: 'done',
      preview: {
        path,
        name: 'rows',
        doctor: { rows: 1, rejected: 1, correct: 1 },
        rejected: [{ line: 2, reason: 'has nothing in "answer"' }],
      },
    });
    expect(await datasets.list({})).toEqual([]);
    const stored = await last<ImportProgress>(
      datasets.import({ path, name: '', keepGoodLines: true }, signal),
    );
    const dataset = (stored as { dataset: Dataset }).dataset;
    expect(dataset.doctor).toEqual((looked as { preview: { doctor: unknown } }).preview.doctor);
    const { rows } = await datasets.rows({ id: dataset.id, offset: 0, limit: 10, search: '', show: 'all' });
    expect(rows).toMatchObject([{ correct: true, extra: rest }]);
    expect(await datasets.prompt({ id: dataset.id, promptId: rows[0].promptId })).toEqual(rows);
    await bench.close();
  });

  it('on the command line: prints the columns, then rejects the file without storing, or stores the valid lines', async () => {
    const at = temporaryFolder();
    const path = join(at, 'rows.csv');
    writeFileSync(path, 'prompt,completion,label,score,note\np,a,true,0.5,\np,b,false,,\np,,true,1,\n');
    const command = ['import', path, '--workspace', join(at, 'w')];
    const refused = await cli(...command, '--json');
    expect(refused.code).toBe(1);
    expect(refused.value).toMatchObject({
      error: {
        message:
          '1 of 3 lines cannot be read; the first: line 4 has nothing in "completion". Nothing was stored.',
        hint: 'Correct them, or import the 2 good lines with --keep-good-lines.',
      },
    });
    expect(refused.said).toContain(
      'Columns used: "prompt" as prompt; "completion" as answer; "label" as right or wrong.',
    );
    expect(refused.said).toContain('Columns kept beside the row: "score" (in 1 of 2 records).');
    expect(refused.said).toContain('Columns left out, since no record has a value in them: "note".');
    expect(refused.said).not.toContain('import:');
    const kept = await cli(...command, '--keep-good-lines', '--json');
    expect(kept.value).toMatchObject({ rows: 2, doctor: { rejected: 1, correct: 1, wrong: 1 } });
    expect(kept.said.indexOf('Columns used')).toBeLessThan(kept.said.indexOf('import:'));
    const looked = await cli('import', path, '--look');
    expect([looked.code, looked.out]).toEqual([
      0,
      expect.stringContaining('line 4 has nothing in "completion"'),
    ]);
  });
});

describe('an import that fails', () => {
  const files = (at: string): readonly (readonly [name: string, content: string | Uint8Array])[] => {
    const line = (i: number): string => JSON.stringify({ prompt: `question ${i}`, answer: 'a '.repeat(300) });
    const good = Array.from({ length: 6000 }, (_none, i) => line(i)).join('\n');
    const packed = gzipSync(good);
    return [
      [join(at, 'broken-at-the-end.jsonl'), `${good}\n{"prompt": `],
      [join(at, 'cut-off.jsonl.gz'), packed.subarray(0, -100)],
    ];
  };

  it('stores nothing of a file that turns out to be damaged', async () => {
    const at = temporaryFolder();
    const bench = await openServices({ workspacePath: join(at, 'w'), create: true });
    for (const [path, content] of files(at)) {
      writeFileSync(path, content);
      const feed = bench.api.datasets.import(
        { path, name: '', keepGoodLines: false },
        new AbortController().signal,
      );
      expect((await rejected(last(feed))).kind).toBe('invalid-input');
    }
    expect(await bench.api.datasets.list({})).toEqual([]);
    await bench.close();
    const db = openReadOnly(join(at, 'w', 'workspace.db'));
    const left = db.prepare('select count(*) as visible from datasets where visible = 1').get();
    expect(left).toEqual({ visible: 0 });
    db.close();
  });

  it('keeps rows in the order of the file, with empty and missing texts as they are', async () => {
    const at = temporaryFolder();
    const path = join(at, 'rows.jsonl');
    const rows = Array.from({ length: 3000 }, (_none, row) => ({
      row,
      prompt: `“${row % 7}”`,
      answer: row % 5 === 0 ? '' : `antwort ${row} ü\u0000`,
      reference: row % 3 === 0 ? 'r' : null,
      correct: [true, false, null][row % 3],
      source: '',
    }));
    writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    const bench = await openServices({ workspacePath: join(at, 'w'), create: true });
    const { signal } = new AbortController();
    const done = await last(bench.api.datasets.import({ path, name: '', keepGoodLines: false }, signal));
    const { id } = (done as { dataset: Dataset }).dataset;
    const page = await bench.api.datasets.rows({ id, offset: 2500, limit: 500, search: '', show: 'all' });
    expect(
      page.rows.map(({ row, prompt, answer, reference, correct, source }) => ({
        row,
        prompt,
        answer,
        reference,
        correct,
        source,
      })),
    ).toEqual(rows.slice(2500));
    await bench.close();
  });
});
