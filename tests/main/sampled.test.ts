import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WhetstoneError } from '../../engine/common/errors.ts';
import type { Db } from '../../main/store/database.ts';
import { temporaryTables } from '../../main/store/labels/label-set-making.ts';
import { percentiles } from '../../main/store/sampled/order.ts';
import { sampleQueries } from '../../main/store/samples.ts';
import { atOnce } from '../../main/store/slices.ts';
import { sweep } from '../../main/store/sweep.ts';
import { sortFromText } from '../../preload/wire/sample-query.ts';
import { caught } from '../support/errors.ts';
import {
  addRun,
  all,
  fillColumns,
  fillTexts,
  insert,
  open,
  page,
  queriesOf,
  type Stored,
} from '../support/sampled-answers.ts';

const hasWord = (a: Stored, word: string): boolean =>
  [a.prompt, a.completion].some((text) => new RegExp(`(?<![\\p{L}\\p{N}])${word}`, 'iu').test(text));
const scoreOf = (a: Stored, name: string): number => a.scores[name] ?? Number.NaN;
const filters: Readonly<Record<string, (a: Stored) => boolean>> = {
  '': () => true,
  seven: (a) => hasWord(a, 'seven'),
  'may eight': (a) => hasWord(a, 'may') && hasWord(a, 'eight'),
  '"It may"': (a) => /it\s+may/i.test(a.completion),
  '-straße': (a) => !hasWord(a, 'straße'),
  '8+9': (a) => hasWord(a, String.raw`8\+9`),
  'is:correct truncated': (a) => a.scores.verifier === 1 && a.stop === 'length',
  'wrong step:10..20': (a) => a.scores.verifier === 0 && a.step >= 10 && a.step <= 20,
  'reward>0.5 length>40': (a) => a.scores.total > 0.5 && a.tokens > 40,
  'score.length<0 OR has:judge': (a) => scoreOf(a, 'length') < 0 || !Number.isNaN(scoreOf(a, 'judge')),
  'purpose=evaluation -has:score.length': (a) => a.purpose === 'evaluation' && !('length' in a.scores),
  'answer:naïve logp<-5': (a) => hasWord({ ...a, prompt: '' }, 'naïve') && a.logp !== null && a.logp < -5,
};
const keys: Readonly<Record<string, (a: Stored) => number>> = {
  '-reward': (a) => a.scores.total,
  judge: (a) => scoreOf(a, 'judge'),
  '-score.length': (a) => scoreOf(a, 'length'),
  length: (a) => a.tokens,
  '-meanlogp': (a) => (a.logp ?? Number.NaN) / a.tokens,
};
const newestFirst = (list: readonly Stored[]): Stored[] => list.toReversed();
/** Sorted by a number, those without it last, equal ones newest first. */
const sorted = (list: readonly Stored[], by: string): Stored[] => {
  const key = keys[by];
  const sign = by.startsWith('-') ? -1 : 1;
  return newestFirst(list).sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return sign * (x - y);
  });
};
const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);

describe.each(['before columns are stored', 'with columns', 'with columns and texts'])(
  'sampled answers, %s',
  (state) => {
    let db: Db;
    beforeAll(() => {
      const folder = mkdtempSync(join(tmpdir(), 'whetstone-'));
      db = open(folder);
      addRun(db, 'r');
      insert(db, all);
      if (state !== 'before columns are stored') expect(fillColumns(db, 'r')).toBe(2);
      if (state === 'with columns and texts') fillTexts(db, 'r');
      return () => {
        db.close();
        rmSync(folder, { recursive: true, force: true });
      };
    });

    it.each(Object.keys(filters))('“%s” finds what a filter of all answers finds', (query) => {
      const expected = newestFirst(all.filter(filters[query]));
      const offset = Math.max(0, expected.length - 25);
      expect(atOnce(queriesOf(db).facets({ runIds: ['r'], query })).total).toBe(expected.length);
      expect(idsOf(page(db, { query }).samples)).toEqual(idsOf(expected.slice(0, 40)));
      expect(idsOf(page(db, { query, offset }).samples)).toEqual(idsOf(expected.slice(offset)));
    });

    it.each(Object.keys(keys))('are sorted by %s, on the first page and far down', (by) => {
      const expected = sorted(all.filter(filters.seven), by);
      const sort = sortFromText(by);
      for (const offset of [0, 30, 2100])
        expect(idsOf(page(db, { query: 'seven', sort, offset }).samples)).toEqual(
          idsOf(expected.slice(offset, offset + 40)),
        );
    });

    it('are grouped by prompt, and equal ones to a prompt counted', () => {
      const matching = all.filter(filters['is:correct truncated']);
      const groups = Map.groupBy(matching, ({ promptId }) => promptId);
      const found = page(db, {
        query: 'is:correct truncated',
        view: 'prompts',
        sort: sortFromText('-reward'),
      });
      expect(found.total).toBe(groups.size);
      for (const prompt of found.prompts) {
        const own = groups.get(prompt.promptId) ?? [];
        const mean = own.reduce((sum, { scores }) => sum + scores.total, 0) / own.length;
        expect(prompt).toMatchObject({
          answers: own.length,
          distinct: new Set(own.map(({ completion }) => completion)).size,
          right: own.length,
          wrong: 0,
        });
        expect(prompt.mean).toBeCloseTo(mean, 12);
      }
      const means = found.prompts.map(({ mean }) => mean ?? 0);
      expect(means).toEqual(means.toSorted((a, b) => b - a));
    });

    it('open from prompt to different answers to equal ones', () => {
      const own = all.filter(({ promptId }) => promptId === 'p7');
      const texts = Map.groupBy(own, ({ completion }) => completion);
      const { samples, total } = page(db, { view: 'distinct', promptId: 'p7' });
      expect([total, samples.reduce((sum, { copies }) => sum + copies, 0)]).toEqual([texts.size, own.length]);
      const [most] = samples;
      expect(most.copies).toBe(Math.max(...[...texts.values()].map(({ length }) => length)));
      const equal = page(db, { equalTo: most.id });
      expect(idsOf(equal.samples)).toEqual(idsOf(newestFirst(texts.get(most.completion) ?? [])));
      expect(page(db, { promptId: 'no such prompt' }).total).toBe(0);
    });

    it('are ordered by the disagreement of two scores, and show its sign', () => {
      const both = all.filter((a) => !Number.isNaN(scoreOf(a, 'judge')));
      const p = percentiles(Float64Array.from(both, (a) => scoreOf(a, 'judge')));
      const q = percentiles(Float64Array.from(both, (a) => a.scores.verifier));
      const signed = new Map(both.map(({ id }, at) => [id, p[at] - q[at]]));
      const { samples } = page(db, { sort: sortFromText('-judge~verifier') });
      const shown = samples.map(({ key }) => Math.abs(key ?? 0));
      expect(shown).toEqual(
        [...signed.values()]
          .map(Math.abs)
          .sort((a, b) => b - a)
          .slice(0, 40),
      );
      for (const { id, key } of samples) expect(key).toBe(signed.get(id));
    });

    it('are found by id, and refuse a column that none of them has', () => {
      expect(idsOf(page(db, { ids: ['answer-3', 'answer-8999', 'gone'] }).samples)).toEqual([
        'answer-8999',
        'answer-3',
      ]);
      const error = caught(() => page(db, { query: 'entropy>1' })) as WhetstoneError;
      expect(error.facts).toMatchObject({ kind: 'invalid-input', where: 'entropy>1' });
    });
  },
);

describe('sampled answers', () => {
  const few = (own: Partial<Stored>[]): Stored[] =>
    own.map((each, at) => ({ ...all[at], id: `few-${at}`, ...each }));

  it('of a run that goes on: new ones are counted, and pages as of before do not move', () => {
    const db = open();
    addRun(db, 'r', 'running');
    insert(db, all.slice(0, 100));
    const before = page(db, { limit: 10 });
    insert(
      db,
      all.slice(100, 130).map((each, at) => ({ ...each, sequence: 99, step: 99, id: `new-${at}` })),
    );
    const { asOf } = before;
    expect(idsOf(page(db, { limit: 10, offset: 10, asOf }).samples)).toEqual(
      idsOf(newestFirst(all.slice(80, 90))),
    );
    const now = page(db, { limit: 10 });
    expect([before.total, now.total, now.samples[0].id]).toEqual([100, 130, 'new-29']);
    // its last part is left to those who read it
    expect(fillColumns(db, 'r')).toBe(0);
    db.close();
  });

  it('that a later attempt repeated are left out, unless a query names them', () => {
    const db = open();
    addRun(db, 'r');
    const first = few([{ step: 1 }, { step: 2, sequence: 2 }, { step: 2, sequence: 2, purpose: 'train' }]);
    const again = few([{ step: 2, attempt: 2, sequence: 1, purpose: 'train' }]);
    insert(
      db,
      first.map((each) => ({ ...each, purpose: 'train' as const })),
    );
    insert(
      db,
      again.map((each) => ({ ...each, id: 'again' })),
    );
    expect(idsOf(page(db, {}).samples)).toEqual(['again', 'few-0']);
    const superseded = page(db, { query: 'is:superseded' }).samples;
    expect(superseded.map((each) => [each.id, each.superseded])).toEqual([
      ['few-2', true],
      ['few-1', true],
    ]);
    db.close();
  });

  it('of several runs are one list; a prompt gathers the answers of both', () => {
    const db = open();
    for (const run of ['r', 's']) {
      addRun(db, run);
      insert(
        db,
        all.slice(0, 60).map((each) => ({ ...each, run, id: `${run}-${each.id}` })),
      );
    }
    fillColumns(db, 's');
    const runIds = ['r', 's'];
    expect(page(db, { runIds }).total).toBe(120);
    expect(page(db, { runIds, query: 'run=s' }).total).toBe(60);
    expect(page(db, { runIds, view: 'prompts' }).prompts.map(({ answers }) => answers)).toEqual(
      Array(10).fill(12),
    );
    expect(page(db, { runIds, view: 'distinct', limit: 1 }).samples[0].copies % 2).toBe(0);
    db.close();
  });

  it('show scores that were computed later', () => {
    const db = open();
    addRun(db, 'r');
    insert(db, all.slice(0, 50));
    fillColumns(db, 'r');
    expect(() => page(db, { query: '"rescored a/length">1' })).toThrow('no column');
    const { appendScores } = sampleQueries({ db, folder: '', tidy: () => undefined, making: new Set() });
    appendScores([{ id: 'answer-4', scorer: 'rescored a/length', value: 3 }], 'hash');
    expect(idsOf(page(db, { query: '"rescored a/length">1' }).samples)).toEqual(['answer-4']);
    expect(fillColumns(db, 'r')).toBe(1);
    expect(idsOf(page(db, { query: '"rescored a/length">1' }).samples)).toEqual(['answer-4']);
    db.close();
  });

  it('of a run that continued after its columns were stored are added to them', () => {
    const db = open();
    addRun(db, 'r');
    insert(db, all.slice(0, 50));
    fillColumns(db, 'r');
    fillTexts(db, 'r');
    insert(
      db,
      all.slice(50, 60).map((each) => ({ ...each, sequence: 5, step: 5, completion: 'later words' })),
    );
    expect(page(db, { query: 'later' }).total).toBe(10);
    fillColumns(db, 'r');
    fillTexts(db, 'r');
    expect(queriesOf(db).pending(['r'])).toMatchObject({ answers: 0, texts: 0 });
    expect(page(db, { query: 'later' }).total).toBe(10);
    db.close();
  });

  it('leave nothing of their index when their run is removed', () => {
    const db = open();
    addRun(db, 'r');
    insert(db, all.slice(0, 300));
    fillColumns(db, 'r');
    fillTexts(db, 'r');
    db.exec(temporaryTables);
    db.prepare("update runs set visible = 0 where id = 'r'").run();
    atOnce(sweep(db, new Set()));
    for (const table of ['sampled_runs', 'sample_parts', 'sample_columns', 'trajectories', 'scores'])
      expect([table, db.prepare(`select count(*) from ${table}`).pluck().get()]).toEqual([table, 0]);
    const left = db
      .prepare("select count(*) from sample_search where sample_search match 'what*'")
      .pluck()
      .get();
    expect(left).toBe(0);
    expect(() => page(db, {})).toThrow('no run');
    db.close();
  });

  it('of an empty run are none in every view', () => {
    const db = open();
    addRun(db, 'r');
    for (const view of ['answers', 'distinct', 'prompts'] as const)
      expect(page(db, { view })).toMatchObject({ total: 0, samples: [], prompts: [], more: false });
    expect(fillColumns(db, 'r')).toBe(0);
    expect(page(db, { sort: sortFromText('-length') }).total).toBe(0);
    db.close();
  });
});
