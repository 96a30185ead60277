import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cohenKappa, dawidSkene, fleissKappa, krippendorffAlpha, writers } from '../../engine/index.ts';
import type { Verdict } from '../../engine/schema/preference.ts';
import { factsOf, settleConsensus } from '../../main/services/label-consensus.ts';
import { openDatabase } from '../../main/store/database.ts';
import { migrations } from '../../main/store/migrations/index.ts';
import { qualityReport } from '../../main/use-cases/label-quality.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pairsForTest } from '../support/label-quality.ts';

/** Verdicts of three labelers on ten pairs; a dot is none. */
const table = { ann: 'aabbababtt', ben: 'aabbabbbt.', cy: 'abbaababa.' } as const;
const names = { a: 'a', b: 'b', t: 'tie' } as const;

type Store = Awaited<ReturnType<typeof pairsForTest>>['store'];
const decideAs = (store: Store, labeler: string, pairId: string, verdict: Verdict) =>
  store.labels.decide({ pairId, verdict, labeler, seconds: 2, rationale: '' });

/** A set of ten pairs with the labels of the table. */
async function labeledSet(options = {}) {
  const made = await pairsForTest(10, { overlap: 3, ...options });
  const { store, set } = made;
  const ids = (await store.labelSets.pairs(set.id, 0, 10)).pairs.map(({ pairId }) => pairId);
  for (const [labeler, verdicts] of Object.entries(table))
    for (const [at, sign] of [...verdicts].entries())
      if (sign !== '.') await decideAs(store, labeler, ids[at], names[sign as 'a' | 'b' | 't']);
  return { ...made, ids };
}
const verdictsOf = async (store: Store, setId: string): Promise<(Verdict | null)[]> =>
  (await store.labelSets.pairs(setId, 0, 10)).pairs.map(({ verdict }) => verdict);

describe('the quality of labels', () => {
  it('has the agreement of the labelers as the engine computes it from their table', async () => {
    const { store, set } = await labeledSet();
    const report = await qualityReport(store, set.id);
    const [ann, ben, cy] = Object.values(table).map((line) => [...line]);
    const nine = (line: string[]): string[] => line.slice(0, 9);
    const kappa = (one: string, other: string) =>
      report.pairs.find((pair) => pair.one === one && pair.other === other)?.kappa;
    expect(kappa('ann', 'ben')?.value).toBeCloseTo(cohenKappa(nine(ann), nine(ben)), 12);
    expect(kappa('ann', 'cy')?.value).toBeCloseTo(cohenKappa(nine(ann), nine(cy)), 12);
    expect(kappa('ben', 'cy')).toMatchObject({ items: 9 });
    const counts = nine(ann).map((_sign, at) =>
      ['a', 'b', 't'].map((sign) => [ann, ben, cy].filter((line) => line[at] === sign).length),
    );
    expect(report.fleiss).toMatchObject({ items: 9, raters: 3 });
    expect(report.fleiss?.value).toBeCloseTo(fleissKappa(counts), 12);
    const ratings = [ann, ben, cy].map((line) => line.map((sign) => (sign === '.' ? null : sign)));
    expect(report.alpha?.value).toBeCloseTo(krippendorffAlpha(ratings), 12);
    for (const {
      kappa: { value, interval },
    } of report.pairs) {
      expect(interval?.[0]).toBeLessThanOrEqual(value ?? NaN);
      expect(interval?.[1]).toBeGreaterThanOrEqual(value ?? NaN);
    }
    const given = [ann, ben, cy].flatMap((line, who) =>
      line.flatMap((label, item) => (label === '.' ? [] : [{ item: `${item}`, labeler: `${who}`, label }])),
    );
    const fit = dawidSkene(given, { smoothing: 0.1, iterations: 500, tolerance: 1e-6 });
    for (const [at, { reliability }] of report.labelers.entries())
      expect(reliability).toBeCloseTo(fit.labelers[at].reliability, 4);
    expect(report).toMatchObject({ shared: 9, disputed: 4, adjudicated: 0 });
  });

  it('has each labeler’s counts, pace, sides and agreement with gold, with intervals', async () => {
    const { store, set, ids } = await labeledSet();
    const gold = ids
      .slice(0, 4)
      .map((pairId, at) => ({ pairId, verdict: (['a', 'a', 'b', 'b'] as const)[at] }));
    await store.labelQuality.markGold(set.id, gold, 'test');
    const { labelers } = await qualityReport(store, set.id);
    expect(labelers.map(({ labeler, labeled, decided }) => [labeler, labeled, decided])).toEqual([
      ['ann', 10, 8],
      ['ben', 9, 8],
      ['cy', 9, 9],
    ]);
    const [ann, , cy] = labelers;
    expect(ann.gold).toMatchObject({ rate: 1, n: 4 });
    expect(cy.gold).toMatchObject({ rate: 0.5, n: 4 });
    // Wilson's interval of 2 of 4, from Wilson (1927): centre 1/2, half width z√(1/16 + z²/64)/(1 + z²/4)
    const z = 1.959963984540054;
    const half = (z * Math.sqrt(1 / 16 + (z * z) / 64)) / (1 + (z * z) / 4);
    expect(cy.gold.interval[0]).toBeCloseTo(0.5 - half, 12);
    expect(ann.left.n).toBe(8);
    expect(ann.self).toEqual({ rate: null, interval: [0, 1], n: 0 });
  });

  it('of a set without labels says so by empty lists, not by an error', async () => {
    const { store, set } = await pairsForTest(3);
    expect(await qualityReport(store, set.id)).toMatchObject({
      labelers: [],
      pairs: [],
      fleiss: null,
      alpha: null,
      ceiling: { rate: null, n: 0 },
    });
  });
});

describe('the agreement on correctness', () => {
  it('compares correct and incorrect; the first wrong step is compared separately', async () => {
    const { store, set } = await pairsForTest(4, { overlap: 2 }, 'correctness');
    const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
    const values = [
      [{ correct: true }, { correct: true }],
      [
        { correct: false, firstWrong: 0 },
        { correct: false, firstWrong: 1 },
      ],
      [
        { correct: false, firstWrong: 1 },
        { correct: false, firstWrong: 1 },
      ],
      [{ correct: false, firstWrong: 0 }, { correct: true }],
    ];
    for (const [at, both] of values.entries())
      for (const [who, value] of both.entries())
        await store.labels.decide({
          pairId: pairs[at].pairId,
          verdict: 'answered',
          value: {
            ...value,
            steps: [
              [0, 3],
              [3, 6],
            ],
          },
          labeler: ['ann', 'ben'][who],
          seconds: null,
          rationale: '',
        });
    const report = await qualityReport(store, set.id);
    const [ann, ben] = [0, 1].map((who) => values.map((both) => String(both[who].correct)));
    expect(report.pairs[0].kappa.value).toBeCloseTo(cohenKappa(ann, ben), 12);
    expect(report).toMatchObject({ shared: 4, disputed: 1, steps: { rate: 0.5, n: 2 } });
    expect((await store.adjudication.queue(set.id, [], 10)).map(({ pairId }) => pairId)).toEqual([
      pairs[3].pairId,
    ]);
  });
});

describe('the consensus of labelers', () => {
  it('is the newest label by default, the verdict of most by majority, and the most probable by reliability', async () => {
    const { store, set } = await labeledSet();
    expect((await verdictsOf(store, set.id)).slice(0, 8)).toEqual(['a', 'b', 'b', 'a', 'a', 'b', 'a', 'b']);
    await store.labelSets.setOptions(set.id, { consensus: 'majority' });
    await settleConsensus(store, set.id);
    const majority = ['a', 'a', 'b', 'b', 'a', 'b', 'a', 'b', 'tie', 'tie'];
    expect(await verdictsOf(store, set.id)).toEqual(majority);
    await store.labelSets.setOptions(set.id, { consensus: 'reliability' });
    await settleConsensus(store, set.id);
    const { labels } = await factsOf(store.labelQuality, set.id);
    const given = labels.map(({ pairId: item, labeler, verdict: label }) => ({ item, labeler, label }));
    const fit = dawidSkene(given, { smoothing: 0.1, iterations: 500, tolerance: 1e-6 });
    const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
    for (const { pairId, verdict, weight } of pairs) {
      const item = fit.items.find((each) => each.item === pairId);
      const held = labels.filter((each) => each.pairId === pairId).map((each) => each.verdict);
      if (held.includes(item?.label as Verdict)) expect(verdict).toBe(item?.label);
      expect(weight).toBeCloseTo(item?.posterior[fit.labels.indexOf(verdict ?? '')] ?? NaN, 10);
    }
  });

  it('of one labeler is the label, and has no weight', async () => {
    const { store, set } = await pairsForTest(3);
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    await decideAs(store, 'me', pairId, 'b');
    await settleConsensus(store, set.id);
    const [pair] = (await store.labelSets.labeled(set.id)).pairs;
    expect(pair.verdict).toBe('b');
    expect(pair).not.toHaveProperty('weight');
  });
});

describe('labels in exports', () => {
  it('carry strength, reasons, rationale, labeler and the probability of the verdict', async () => {
    const { store, set, ids } = await labeledSet();
    const details = { strength: 3, reasons: ['clearer', 'safer'], critique: 'names its source' };
    const decision = {
      pairId: ids[0],
      verdict: 'a',
      labeler: 'cy',
      seconds: 1,
      rationale: '',
      details,
    } as const;
    await store.labels.decide(decision);
    await settleConsensus(store, set.id);
    const { items } = await store.exporting.labels(set.id, null);
    const [first] = items;
    expect(first.about).toMatchObject({
      labeler: 'cy',
      strength: 3,
      reasons: 'clearer, safer',
      rationale: 'names its source',
    });
    expect(first.about.weight).toBeGreaterThan(0.5);
    const written = writers.find(({ id }) => id === 'trl-preference')?.fromPair?.(first);
    expect(written).toMatchObject([
      { strength: 3, rationale: 'names its source', weight: first.about.weight },
    ]);
  });
});

describe('a workspace of version 13', () => {
  it('keeps its verdicts, and finds its disputes', () => {
    const path = join(temporaryFolder(), 'workspace.db');
    const earlier = migrations.filter(({ version }) => version <= 13);
    const db = openDatabase(path, { create: true, migrations: earlier });
    db.exec(`
      insert into label_sets (id, name, created_at, seed, pairs) values ('s', 'set', 0, 0, 2);
      insert into pairs (id, set_id, position, prompt_id, prompt, a, b, origin_a, origin_b, left_is) values
        ('p', 's', 0, 'q', '?', 'x', 'y', '0', '1', 'b'), ('o', 's', 1, 'q', '?', 'x', 'z', '0', '2', 'a');
      insert into label_events (pair_id, set_id, event, verdict, undoes, at, labeler) values
        ('p', 's', 'label', 'b', null, 1, 'me'), ('o', 's', 'label', 'tie', null, 2, 'me'),
        ('p', 's', 'correction', 'b', null, 3, 'ann'), ('o', 's', 'correction', 'a', null, 4, 'ann');
    `);
    db.close();
    const migrated = openDatabase(path, { create: false });
    const pairs = migrated.prepare('select id, verdict, disputed from pairs order by id').all();
    migrated.close();
    expect(pairs).toEqual([
      { id: 'o', verdict: 'a', disputed: 1 },
      { id: 'p', verdict: 'b', disputed: 0 },
    ]);
  });
});

describe('the review of a set', () => {
  it('hides others’ decisions and gold from a labeler until they have decided the item', async () => {
    const { store, set, ids } = await labeledSet();
    const ofReader = async (as: string, filter: object = {}) =>
      await store.labelReview.page({ setId: set.id, as, filter, before: null, limit: 100 });
    const all = await store.labelReview.page({ setId: set.id, filter: {}, before: null, limit: 100 });
    expect(all.hidden).toBe(0);
    await store.labelSets.setOptions(set.id, { ...set.options, overlap: 5, gold: 0.1 });
    await store.labelQuality.markGold(set.id, [{ pairId: ids[0], verdict: 'b' }], 'review');
    expect(await ofReader('new')).toMatchObject({ total: 0, hidden: all.total, decisions: [] });
    expect(await ofReader('new', { about: 'gold' })).toMatchObject({ total: 0, hidden: all.total });
    await decideAs(store, 'new', ids[0], 'b');
    const { decisions, hidden } = await ofReader('new');
    expect([...new Set(decisions.map(({ pairId }) => pairId))]).toEqual([ids[0]]);
    expect(decisions.map(({ labeler }) => labeler)).toContain('new');
    expect(hidden).toBe(all.total + 1 - decisions.length);
    // the items no longer want this labeler, except gold
    await store.labelSets.setOptions(set.id, { ...set.options, overlap: 1, gold: 0.1 });
    await store.labelQuality.markGold(set.id, [{ pairId: ids[1], verdict: 'b' }], 'review');
    const last = await ofReader('new');
    expect(last.total).toBe(all.total + 1 - last.hidden);
    expect(last.decisions.map(({ pairId }) => pairId)).not.toContain(ids[1]);
  });
});

describe('adjudication', () => {
  it('queues the items that labelers decide differently, without what they decided', async () => {
    const { store, set, ids } = await labeledSet();
    const queue = await store.adjudication.queue(set.id, [], 10);
    expect(queue.map(({ pairId }) => pairId)).toEqual([ids[1], ids[3], ids[6], ids[8]]);
    for (const item of queue) expect(Object.keys(item)).toEqual(['pairId', 'position', 'prompt', 'answers']);
    const filter = { about: 'disputed' } as const;
    const page = await store.labelReview.page({ setId: set.id, filter, before: null, limit: 100 });
    expect(page.total).toBe(12);
  });

  it('is final: it wins over later labels of others until it is undone, and counts as no label of its adjudicator', async () => {
    const { store, set, ids } = await labeledSet();
    const verdict = async () => (await verdictsOf(store, set.id))[1];
    const decision = {
      pairId: ids[1],
      verdict: 'tie',
      labeler: 'ann',
      seconds: 3,
      rationale: 'both say so',
    } as const;
    expect(await store.adjudication.decide(decision)).toMatchObject({ pairs: 4, labeled: 1 });
    expect(await verdict()).toBe('tie');
    await decideAs(store, 'ben', ids[1], 'b');
    expect(await verdict()).toBe('tie');
    expect((await store.labels.history(ids[1])).map(({ role }) => role)).toContain('adjudication');
    expect((await store.labels.pair(ids[1], 'ann')).before?.choice).not.toBe('tie');
    expect(await store.labels.labelers(set.id)).toContainEqual({ labeler: 'ann', labeled: 10 });
    expect((await store.labelSets.labeled(set.id)).pairs[1]).toMatchObject({ verdict: 'tie', weight: 1 });
    const undone = await store.labels.undo(set.id, 'ann');
    expect(undone?.pairId).toBe(ids[9]);
    expect(await verdict()).toBe('tie');
    expect(await store.adjudication.undo(set.id, 'ann')).toMatchObject({
      pairId: ids[1],
      before: { choice: 'tie' },
    });
    expect(await verdict()).toBe('b');
    await store.adjudication.redo(set.id, 'ann');
    expect(await verdict()).toBe('tie');
    expect(await store.adjudication.undo(set.id, 'ben')).toBeNull();
  });

  it('keeps its place when the consensus changes', async () => {
    const { store, set, ids } = await labeledSet();
    await store.adjudication.decide({
      pairId: ids[0],
      verdict: 'b',
      labeler: 'judge',
      seconds: 1,
      rationale: '',
    });
    for (const consensus of ['majority', 'reliability', 'newest'] as const) {
      await store.labelSets.setOptions(set.id, { consensus });
      await settleConsensus(store, set.id);
      expect((await verdictsOf(store, set.id))[0]).toBe('b');
    }
  });
});
