import { describe, expect, it } from 'vitest';
import { atOnce } from '../../main/store/slices.ts';
import { by, opened } from '../support/curated.ts';
import { caught } from '../support/errors.ts';

describe('versions', () => {
  const saved = ({ modules }: ReturnType<typeof opened>, name: string) =>
    modules.versions.save('d', name, atOnce(modules.versions.content('d', null)), 'me');
  const rebuilt = ({ modules }: ReturnType<typeof opened>, name: string) =>
    atOnce(modules.versions.content('d', modules.versions.get('d', name).sequence));

  it('are rebuilt from their recipe with the same hash, whatever came after them', () => {
    const workspace = opened();
    const { curation, edit, step, modules } = workspace;
    const imported = saved(workspace, 'imported');
    edit([1, 2], 'answer', 'corrected');
    curation.mark('d', { event: 'exclude', value: null }, [3], by);
    const cleaned = saved(workspace, 'cleaned');
    step('undo');
    edit([2, 4], 'prompt', 'another');
    curation.mark('d', { event: 'tag', value: 'dup' }, [5], by);
    curation.add(
      'd',
      { promptId: 'n', prompt: 'n', answer: 'n', reference: null, correct: null, source: '' },
      'me',
    );
    const tagged = saved(workspace, 'tagged');
    step('undo');
    step('undo');
    expect([imported, cleaned, tagged].map(({ rows }) => rows)).toEqual([12, 11, 13]);
    expect(new Set([imported, cleaned, tagged].map(({ hash }) => hash)).size).toBe(3);
    for (const { name, hash, rows } of [imported, cleaned, tagged])
      expect(rebuilt(workspace, name)).toMatchObject({ hash, rows });
    expect(modules.versions.list('d').map(({ name }) => name)).toEqual(['tagged', 'cleaned', 'imported']);
    expect(cleaned.recipe).toEqual({ file: 'h', steps: [1, 2] });
    expect(caught(() => saved(workspace, 'cleaned')).kind).toBe('conflict');
  });

  it('have the same hash if they hold the same, in whatever order columns were added', () => {
    const workspace = opened();
    const { edit, modules } = workspace;
    edit([1], 'topic', 'sums');
    const { hash } = saved(workspace, 'a');
    edit([1], 'level', '');
    edit([1], 'level', 1);
    expect(saved(workspace, 'b').hash).toBe(hash);
    expect(atOnce(modules.versions.diff('d', 'a', 'b', 0)).rows).toEqual([]);
  });

  it('are not made of rows that are changed meanwhile, also if the change is taken back', () => {
    const { curation, modules } = opened(600);
    const reading = modules.versions.content('d', null);
    reading.next();
    const event = curation.begin('d', { event: 'edit', field: 'answer', value: 'x' }, by);
    atOnce(curation.editRows('d', event, [400], { column: 'answer', value: 'x' }));
    reading.next();
    atOnce(curation.abandon(event));
    expect(caught(() => atOnce(reading)).kind).toBe('conflict');
    expect(atOnce(modules.versions.content('d', null)).rows).toBe(600);
  });

  it('are compared row by row, with each other and with the present rows', () => {
    const workspace = opened();
    const { curation, edit, modules } = workspace;
    saved(workspace, 'a');
    edit([1, 2], 'answer', 'corrected');
    curation.mark('d', { event: 'exclude', value: null }, [2, 3], by);
    curation.mark('d', { event: 'tag', value: 'dup' }, [5], by);
    saved(workspace, 'b');
    edit([1], 'answer', 'answer 1');
    const diff = (from: string, to: string | null) => atOnce(modules.versions.diff('d', from, to, 0));
    expect(diff('a', 'b')).toEqual({
      added: 0,
      removed: 2,
      changed: 2,
      rows: [
        { row: 1, change: 'changed', cells: [{ field: 'answer', before: 'answer 1', after: 'corrected' }] },
        { row: 2, change: 'removed', cells: [] },
        { row: 3, change: 'removed', cells: [] },
        { row: 5, change: 'changed', cells: [{ field: 'marks', before: null, after: 'tag:dup' }] },
      ],
    });
    expect(diff('b', 'a')).toMatchObject({ added: 2, removed: 0, changed: 2 });
    expect(diff('a', null)).toMatchObject({ added: 0, removed: 2, changed: 1 });
    expect(diff('a', 'a')).toEqual({ added: 0, removed: 0, changed: 0, rows: [] });
  });
});
