import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Examination } from '../../preload/contract/doctor.ts';
import { importDataset } from '../../main/import/index.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { maskedText } from '../../main/use-cases/doctor/fix.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { planted, plantedFile, plantedRecords } from '../support/planted-rows.ts';
import { servicesForTest } from '../support/workspace.ts';

const { signal } = new AbortController();

/** Services with the planted rows as a dataset. */
async function opened(file = plantedFile): Promise<{ bench: OpenServices; id: string }> {
  const bench = await servicesForTest();
  const path = join(temporaryFolder(), 'planted.jsonl');
  writeFileSync(path, file);
  const input = { path, name: '', keepGoodLines: false };
  const { id } = await importDataset(bench.services.store, input, signal, () => undefined);
  return { bench, id };
}

type ExamineInput = Parameters<OpenServices['api']['doctor']['examine']>[0];

async function examined(
  { api }: OpenServices,
  id: string,
  more: Partial<ExamineInput> = {},
): Promise<Examination> {
  for await (const progress of api.doctor.examine({ id, against: [], wrongMarks: true, ...more }, signal))
    if (progress.state === 'done') return progress.examination;
  throw new Error('it ended without a result');
}

async function fixed(
  { api }: OpenServices,
  input: Omit<Parameters<OpenServices['api']['doctor']['fix']>[0], 'author'>,
) {
  for await (const progress of api.doctor.fix({ ...input, author: 'me' }, signal))
    if (progress.state === 'done') return progress;
  throw new Error('it ended without a result');
}

/** The numbers of the rows that match a query. */
const rowsOf = async ({ api }: OpenServices, id: string, query: string): Promise<number[]> =>
  (await api.rows.page({ id, query, sort: null, offset: 0, limit: 500 })).rows.map(({ row }) => row);

const undo = async ({ api }: OpenServices, id: string): Promise<void> => {
  for await (const progress of api.curation.undo({ id, author: 'me' }, signal)) void progress;
};

describe('an examination', () => {
  it('names exactly the planted rows, which queries find', async () => {
    const { bench, id } = await opened();
    expect(await bench.api.doctor.get({ id })).toBeNull();
    const { summary, stale } = await examined(bench, id, { wrongMarks: false });
    expect([summary.rows, stale]).toEqual([plantedRecords.length, 'fresh']);
    const found = Object.fromEntries(summary.findings.map((finding) => [finding.id, finding.rows]));
    expect(await rowsOf(bench, id, 'finding:exact-duplicates')).toEqual([
      ...planted['exact-duplicates'],
      ...planted['contradictory-marks'],
    ]);
    for (const name of ['near-duplicates', 'contradictory-marks', 'personal-data', 'leaks'] as const) {
      expect(await rowsOf(bench, id, `finding:${name}`), name).toEqual([...planted[name]]);
      expect(found[name], name).toBe(planted[name].length);
    }
    expect(await rowsOf(bench, id, 'finding:identical-pairs')).toEqual([...planted['contradictory-marks']]);
    expect(summary.findings.find((finding) => finding.id === 'leaks')?.parts).toEqual([
      { title: 'also in test', rows: 1 },
    ]);
    expect(await rowsOf(bench, id, 'finding:longest-loses')).toEqual([]);
    expect(summary.baselines.longestWins).toMatchObject({ rate: 1, pairs: 30 });
    const lengths = summary.lengths.reduce((sum, bin) => sum + bin.rows, 0);
    expect(lengths).toBe(plantedRecords.length);
    for (const { finding, rows } of [...summary.lengths, ...summary.languages])
      if (rows > 0) expect(await rowsOf(bench, id, `finding:${finding}`)).toHaveLength(rows);
    expect(await rowsOf(bench, id, 'has:finding')).toEqual([60, 61, 62, 63, 64, 65, 66, 67, 68]);
    const { facets } = await bench.api.rows.facets({ id, query: '' });
    expect(facets.find(({ column }) => column === 'finding')).toMatchObject({ kind: 'values', empty: 62 });
  });

  it('compares with other data, and names the training rows', async () => {
    const { bench, id } = await opened();
    const path = join(temporaryFolder(), 'held-out.jsonl');
    writeFileSync(path, JSON.stringify({ prompt: plantedRecords[7].prompt, completion: 'something' }));
    const input = { path, name: 'held out', keepGoodLines: false };
    const other = await importDataset(bench.services.store, input, signal, () => undefined);
    await examined(bench, id, { against: [{ kind: 'dataset', id: other.id }] });
    expect(await rowsOf(bench, id, 'finding:leaks')).toEqual([6, 7, 68]);
    const world = await examined(bench, id, { against: [{ kind: 'world', id: 'toy/copy' }] });
    expect(world.summary.against).toEqual(['toy/copy']);
  });

  it('is stale when rows change, and fresh again when the change is undone', async () => {
    const { bench, id } = await opened();
    await examined(bench, id);
    const stale = async () => (await bench.api.doctor.get({ id }))?.stale;
    const change = async (kind: 'exclude' | 'edit'): Promise<void> => {
      const made = kind === 'edit' ? { kind, column: 'answer', value: 'other' } : { kind };
      const input = { id, target: { rows: [3] }, change: made, author: 'me' };
      for await (const progress of bench.api.curation.change(input, signal)) void progress;
    };
    await change('exclude');
    expect(await stale()).toBe('excluded');
    await undo(bench, id);
    expect(await stale()).toBe('fresh');
    await change('edit');
    expect(await stale()).toBe('changed');
    const refused = await rejected(fixed(bench, { id, finding: 'leaks', fix: 'exclude' }));
    expect(refused).toMatchObject({ kind: 'conflict', hint: expect.stringContaining('Examine') as string });
    await undo(bench, id);
    expect(await stale()).toBe('fresh');
  });

  it('that is cancelled leaves the one before', async () => {
    const { bench, id } = await opened();
    const before = await examined(bench, id);
    for await (const progress of bench.api.doctor.examine({ id, against: [], wrongMarks: true }, signal))
      if (progress.state === 'examining') break;
    expect(await bench.api.doctor.get({ id })).toEqual(before);
  });
});

describe('a repair', () => {
  it('is one step and a version, and undo restores the rows', async () => {
    const { bench, id } = await opened();
    await examined(bench, id);
    const all = await rowsOf(bench, id, '');
    const done = await fixed(bench, {
      id,
      finding: 'near-duplicates',
      fix: 'exclude-rest',
      version: 'clean',
    });
    expect(done.event).toMatchObject({ event: 'exclude', rows: 1, query: 'finding:near-duplicates' });
    expect(done.version).toMatchObject({
      name: 'clean',
      rows: all.length - 1,
      sequence: done.event?.sequence,
    });
    expect(await rowsOf(bench, id, 'is:excluded')).toEqual([63]);
    expect((await bench.api.versions.rebuild({ id, name: 'clean' })).isSame).toBe(true);
    const again = await fixed(bench, { id, finding: 'near-duplicates', fix: 'exclude-rest' });
    expect(again).toMatchObject({ event: null, version: null });
    await undo(bench, id);
    expect(await rowsOf(bench, id, '')).toEqual(all);
  });

  it('keeps one of a group, whichever was excluded before', async () => {
    const { bench, id } = await opened();
    await examined(bench, id);
    const input = { id, target: { rows: [60] }, change: { kind: 'exclude' as const }, author: 'me' };
    for await (const progress of bench.api.curation.change(input, signal)) void progress;
    await fixed(bench, { id, finding: 'exact-duplicates', fix: 'exclude-rest' });
    expect(await rowsOf(bench, id, 'is:excluded')).toEqual([60, 65]);
  });

  it('masks personal data in prompts and answers', async () => {
    const { bench, id } = await opened();
    await examined(bench, id);
    const { event } = await fixed(bench, { id, finding: 'personal-data', fix: 'mask' });
    expect(event).toMatchObject({ event: 'edit', rows: 2 });
    const { rows } = await bench.api.rows.page({ id, query: 'is:edited', sort: null, offset: 0, limit: 9 });
    expect(rows.map(({ prompt, answer }) => [prompt, answer.slice(0, 28)])).toEqual([
      ['How can I reach you there?', 'Write to [email], or call.'],
      ['Where is [email] these days?', rows[1].answer.slice(0, 28)],
    ]);
    expect(
      (await examined(bench, id)).summary.findings.find((each) => each.id === 'personal-data')?.rows,
    ).toBe(0);
    await undo(bench, id);
    expect(await rowsOf(bench, id, 'is:edited')).toEqual([]);
  });

  it('tags and flags rows by the name of the finding', async () => {
    const { bench, id } = await opened();
    await examined(bench, id);
    await fixed(bench, { id, finding: 'contradictory-marks', fix: 'flag' });
    await fixed(bench, { id, finding: 'personal-data', fix: 'tag' });
    expect(await rowsOf(bench, id, 'flag:"contradictory marks"')).toEqual([64, 65]);
    expect(await rowsOf(bench, id, 'tag:"personal data"')).toEqual([66, 67]);
    expect((await bench.api.doctor.get({ id }))?.stale).toBe('fresh');
  });

  it('is refused before anything changes where the version exists, or the finding has no such repair', async () => {
    const { bench, id } = await opened();
    await examined(bench, id);
    await bench.api.versions.save({ id, name: 'first', author: 'me' });
    const taken = rejected(fixed(bench, { id, finding: 'leaks', fix: 'exclude', version: 'first' }));
    expect(await taken).toMatchObject({ kind: 'conflict', where: 'first' });
    const unknown = rejected(fixed(bench, { id, finding: 'leaks', fix: 'mask' }));
    expect(await unknown).toMatchObject({ kind: 'invalid-input' });
    expect(await rowsOf(bench, id, 'is:excluded')).toEqual([]);
  });

  it('of repeated pairs keeps the first pair, and rows that another pair needs', async () => {
    const lines = [
      { prompt: 'q', chosen: 'good', rejected: 'bad' },
      { prompt: 'q', chosen: 'good', rejected: 'bad' },
      { prompt: 'q', chosen: 'good', rejected: 'worse' },
      { prompt: 'q', chosen: 'bad', rejected: 'good' },
    ];
    const { bench, id } = await opened(lines.map((line) => JSON.stringify(line)).join('\n'));
    await examined(bench, id);
    expect(await rowsOf(bench, id, 'finding:repeated-pairs')).toEqual([0, 1, 2, 3, 6, 7]);
    expect(await rowsOf(bench, id, 'finding:contradictory-pairs')).toEqual([0, 1, 2, 3, 6, 7]);
    await fixed(bench, { id, finding: 'repeated-pairs', fix: 'exclude-rest' });
    expect(await rowsOf(bench, id, '')).toEqual([0, 1, 4, 5]);
  });
});

describe('likely wrong marks', () => {
  /** Answers whose right ones speak of hills and wrong ones of boats; some marks are flipped. */
  const lines = (flipped: ReadonlySet<number>) =>
    Array.from({ length: 400 }, (_none, i) => {
      const isRight = i % 2 === 0;
      return JSON.stringify({
        prompt: `question ${i >> 1}`,
        completion: `${isRight ? 'green hills above' : 'small boats below'} the place ${i * 7}`,
        label: isRight !== flipped.has(i),
      });
    }).join('\n');

  it('are flipped ones only, where the texts tell', async () => {
    const flipped = [10, 33, 120, 201, 302];
    const { bench, id } = await opened(lines(new Set(flipped)));
    const { summary } = await examined(bench, id);
    const found = await rowsOf(bench, id, 'finding:likely-wrong');
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(flipped).toEqual(expect.arrayContaining(found));
    expect(summary.judge?.accuracy).toBeGreaterThan(0.95);
    await fixed(bench, { id, finding: 'likely-wrong', fix: 'exclude' });
    expect(await rowsOf(bench, id, 'is:excluded')).toEqual(found);
  });

  it('are none where a judge is better than chance, but mostly doubts marks by its own errors', async () => {
    const weak = Array.from({ length: 600 }, (_none, i) => {
      const isRight = i % 2 === 0;
      const seems = (i >> 1) % 5 < 3 === isRight;
      return JSON.stringify({
        prompt: `question ${i >> 1}`,
        completion: `${seems ? 'green hills above' : 'small boats below'} the place ${i * 7}`,
        label: isRight,
      });
    }).join('\n');
    const { bench, id } = await opened(weak);
    const { summary } = await examined(bench, id);
    expect(summary.judge?.interval[0]).toBeGreaterThan(0.5);
    expect(summary.judge?.noise).toBeNull();
    expect(await rowsOf(bench, id, 'finding:likely-wrong')).toEqual([]);
  });

  it('are none where a judge knows nothing, unless a column of scores tells it', async () => {
    const flipped = new Set([10, 33, 120, 201, 302]);
    const silent = Array.from({ length: 400 }, (_none, i) => {
      const isRight = (i * 7919) % 400 < 200;
      const score = (isRight ? 1 : -1) + ((i * 31) % 10) / 20;
      return JSON.stringify({
        prompt: `question ${i}`,
        completion: 'one',
        label: isRight !== flipped.has(i),
        score,
      });
    }).join('\n');
    const { bench, id } = await opened(silent);
    const texts = await examined(bench, id);
    expect(texts.summary.judge?.noise).toBeNull();
    expect(await rowsOf(bench, id, 'finding:likely-wrong')).toEqual([]);
    await examined(bench, id, { score: 'score' });
    const found = await rowsOf(bench, id, 'finding:likely-wrong');
    expect(found).toEqual(expect.arrayContaining([...flipped]));
    expect(found.length).toBeLessThan(10);
  });
});

describe('masked text', () => {
  it('has kinds in place of what was found', () => {
    expect(maskedText('a@b.org or c@d.net.')).toBe('[email] or [email].');
    expect(maskedText('nothing here')).toBe('nothing here');
  });
});
