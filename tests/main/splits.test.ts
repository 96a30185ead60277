import { describe, expect, it } from 'vitest';
import { SplitSpec } from '../../preload/contract/splits.ts';
import { atOnce } from '../../main/store/slices.ts';
import { by, opened } from '../support/curated.ts';
import { caught } from '../support/errors.ts';

type Workspace = ReturnType<typeof opened>;
const usual = {
  parts: [
    { name: 'train', weight: 0.8 },
    { name: 'test', weight: 0.2 },
  ],
};
const made = ({ modules: { splits } }: Workspace, own: object = {}) => {
  const spec = SplitSpec.parse({ ...usual, ...own });
  return splits.apply('d', spec, atOnce(splits.assign('d', spec)), 'me');
};
const listed = ({ modules }: Workspace) => modules.splits.list('d');
const leakage = ({ modules }: Workspace, name = 'split') => atOnce(modules.splits.leakage('d', name));

describe('a split', () => {
  it('puts every row into one part, all rows of a prompt into the same one', () => {
    const workspace = opened(400);
    expect(made(workspace)).toMatchObject({ event: 'split', field: 'split', rows: 400 });
    const rows = workspace.all();
    expect(rows.every(({ splits }) => splits.length === 1)).toBe(true);
    for (const { promptId, splits } of rows)
      expect(splits).toEqual(rows.find((row) => row.promptId === promptId)?.splits);
    const [{ parts, unassigned }] = listed(workspace);
    expect(parts.map(({ rows: count }) => count)).toEqual([
      workspace.numbers('split:train').length,
      workspace.numbers('split:test').length,
    ]);
    expect(unassigned).toBe(0);
    expect(leakage(workspace).keys).toBe(0);
  });

  it('is one step that can be undone and repeated', () => {
    const workspace = opened();
    made(workspace);
    const before = workspace.all().map(({ splits }) => splits);
    workspace.step('undo');
    expect(workspace.all().every(({ splits }) => splits.length === 0)).toBe(true);
    expect(listed(workspace)).toEqual([]);
    workspace.step('redo');
    expect(workspace.all().map(({ splits }) => splits)).toEqual(before);
    expect(listed(workspace)).toHaveLength(1);
  });

  it('made again assigns only the rows that were added, and moves none', () => {
    const workspace = opened(80);
    made(workspace);
    const before = workspace.all().map(({ splits }) => splits);
    workspace.curation.add(
      'd',
      { promptId: 'new', prompt: 'new', answer: 'n', reference: null, correct: null, source: '' },
      'me',
    );
    expect(listed(workspace)[0].unassigned).toBe(1);
    expect(made(workspace)).toMatchObject({ rows: 1 });
    expect(
      workspace
        .all()
        .slice(0, 80)
        .map(({ splits }) => splits),
    ).toEqual(before);
    expect(made(workspace)).toBeNull();
  });

  it('assigns excluded rows too, so that they come back into the part of their prompt', () => {
    const workspace = opened(40);
    workspace.curation.mark('d', { event: 'exclude', value: null }, [0, 1, 2, 3], by);
    made(workspace);
    expect(listed(workspace)[0].parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(36);
    workspace.step('undo');
    workspace.step('undo');
    made(workspace);
    expect(listed(workspace)[0].unassigned).toBe(0);
  });

  it('by a column keeps its values together, and is refused for a column without values', () => {
    const workspace = opened(400);
    made(workspace, {
      by: 'level',
      parts: [
        { name: 'a', weight: 1 },
        { name: 'b', weight: 1 },
      ],
      seed: 2,
    });
    for (const level of [0, 1, 2, 3, 4])
      expect(new Set(workspace.all(`level:${level}`).flatMap(({ splits }) => splits)).size).toBe(1);
    expect(caught(() => made(workspace, { name: 'x', by: 'colour' })).where).toBe('colour');
    expect(caught(() => made(workspace, { name: 'x', stratify: 'colour' })).where).toBe('colour');
  });

  it('stratified has its shares of each value', () => {
    const workspace = opened(400);
    made(workspace, {
      by: 'answer',
      stratify: 'level',
      parts: [
        { name: 'a', weight: 3 },
        { name: 'b', weight: 1 },
      ],
    });
    for (const level of [0, 1, 2, 3, 4])
      expect(Math.abs(workspace.numbers(`level:${level} split:a`).length - 60)).toBeLessThanOrEqual(2);
  });

  it('by near-duplicates keeps nearly equal prompts together, which a split by prompt lets leak', () => {
    const workspace = opened(40);
    const text = 'a farmer has forty seven sheep and sells nine of them at the market for three coins each';
    for (const row of [0, 4, 8, 12, 16, 20])
      workspace.edit([row, row + 1, row + 2, row + 3], 'prompt', `${text} ${row}`);
    const halves = {
      parts: [
        { name: 'a', weight: 1 },
        { name: 'b', weight: 1 },
      ],
    };
    made(workspace, { name: 'plain', ...halves });
    const leaks = leakage(workspace, 'plain');
    expect(leaks).toMatchObject({ keys: 0, equal: 0, near: 1 });
    expect(leaks.groups[0].parts.flatMap(({ rows }) => rows).sort((a, b) => a - b)).toEqual([
      0, 4, 8, 12, 16, 20,
    ]);
    made(workspace, { name: 'plain', by: 'near-duplicates', ...halves });
    expect(leakage(workspace, 'plain')).toMatchObject({ keys: 0, near: 0 });
  });

  it('of the same name is replaced; parts of another one are refused', () => {
    const workspace = opened(40);
    made(workspace);
    expect(caught(() => made(workspace, { name: 'other' }))).toMatchObject({
      kind: 'conflict',
      where: 'train',
    });
    made(workspace, {
      parts: [
        { name: 'train', weight: 1 },
        { name: 'dev', weight: 1 },
      ],
      seed: 4,
    });
    expect(workspace.numbers('split:test')).toEqual([]);
    expect(listed(workspace)).toHaveLength(1);
    workspace.step('undo');
    expect(workspace.numbers('split:test').length).toBeGreaterThan(0);
    expect(workspace.numbers('split:dev')).toEqual([]);
  });

  it('is not stored if rows were changed while it was made', () => {
    const workspace = opened(40);
    const spec = SplitSpec.parse(usual);
    const assignment = atOnce(workspace.modules.splits.assign('d', spec));
    workspace.edit([1], 'prompt', 'another');
    expect(caught(() => workspace.modules.splits.apply('d', spec, assignment, 'me')).kind).toBe('conflict');
    expect(workspace.numbers('split:train')).toEqual([]);
  });
});
