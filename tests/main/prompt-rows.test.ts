import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storePromptRows } from '../../main/store/prompt-rows.ts';
import { packRows } from '../../main/store/packed-rows.ts';
import { atOnce } from '../../main/store/slices.ts';
import type { DatasetRow, Doctor } from '../../preload/contract/datasets.ts';
import type { Db } from '../../main/store/database.ts';
import { by, opened } from '../support/curated.ts';

const found = (db: Db): unknown =>
  db
    .prepare(
      'select dataset_id, prompt_id, row from prompt_rows join dataset_numbers using (number) order by 1, 2, 3',
    )
    .all();
const stored = (db: Db): unknown =>
  db.prepare('select dataset_id, prompt_id, row from dataset_rows order by 1, 2, 3').all();

const rowOf = (promptId: string, row: number): DatasetRow => ({
  row,
  line: row + 1,
  promptId,
  prompt: `${promptId}?`,
  answer: `answer ${row}`,
  reference: null,
  correct: null,
  source: 'file',
});

describe('the rows of each prompt', () => {
  it('are those of the imported rows, in any order of prompts', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 60 }), (prompts) => {
        const { db, modules } = opened(0);
        const { datasets } = modules;
        const id = datasets.stage({ name: 'set', source: 'f' });
        const rows = prompts.map(rowOf);
        atOnce(datasets.appendPacked(id, packRows(rows.slice(0, 20))));
        atOnce(datasets.append(id, rows.slice(20), []));
        expect(found(db)).toEqual([]);
        atOnce(datasets.finish(id, { hash: 'h', doctor: {} as Doctor }));
        expect(found(db)).toEqual(stored(db));
        for (const prompt of new Set(prompts))
          expect(datasets.prompt(id, prompt).map(({ row }) => row)).toEqual(
            rows.filter(({ promptId }) => promptId === prompt).map(({ row }) => row),
          );
      }),
      { numRuns: 30 },
    ));

  it('follow edits, added rows, undo and redo', () => {
    const { db, curation, edit, step, modules } = opened();
    expect(found(db)).toEqual(stored(db));
    edit([1, 5, 6], 'prompt', 'another question');
    expect(found(db)).toEqual(stored(db));
    expect(modules.datasets.prompt('d', 'id of another question').map(({ row }) => row)).toEqual([1, 5, 6]);
    curation.add('d', { ...rowOf('p0', 0), promptId: 'p0' }, by.author);
    expect(modules.datasets.prompt('d', 'p0').map(({ row }) => row)).toEqual([0, 2, 3, 12]);
    for (const which of ['undo', 'undo', 'redo', 'redo', 'undo'] as const) {
      step(which);
      expect(found(db)).toEqual(stored(db));
    }
  });

  it('are deleted with the dataset', () => {
    const { db, modules } = opened();
    modules.datasets.remove('d');
    expect([found(db), stored(db)]).toEqual([[], []]);
  });

  it('are read from the rows if they were not collected', () => {
    const { db } = opened(5000);
    const before = found(db);
    db.exec('delete from prompt_rows');
    atOnce(storePromptRows(db, 'd'));
    expect(found(db)).toEqual(before);
  });
});
