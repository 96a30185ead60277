import { describe, expect, it } from 'vitest';
import type { ModeId, OptionChanges } from '../../engine/schema/labeling/index.ts';
import { defaultOptions } from '../../preload/wire/label-options.ts';
import type { Preference } from '../../engine/schema/preference.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rejected } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { workspaceForTest } from '../support/workspace.ts';

const answersOf = ['good', 'fair', 'poor'];

/** A set over two prompts with three answers each. */
async function setForTest(mode: ModeId, options: OptionChanges = {}) {
  const { store, folder } = await workspaceForTest();
  const datasetId = await store.datasets.stage({ name: 'answers', source: 'test' });
  const rows = ['p', 'q'].flatMap((promptId) =>
    answersOf.map((answer) => ({
      promptId,
      prompt: `${promptId}?`,
      answer: `${answer} ${promptId}`,
      reference: `reference ${promptId}`,
      correct: null,
      source: 'test',
    })),
  );
  await store.datasets.append(
    datasetId,
    rows.map((row, at) => ({ ...row, row: at, line: at + 1 })),
    [],
  );
  await store.datasets.finish(datasetId, { hash: 'hash', doctor: noFindings });
  const set = await store.labelSets.create({
    name: '',
    from: { kind: 'dataset', datasetId },
    pairsPerPrompt: 3,
    answersPerItem: 3,
    onlyDiffering: false,
    seed: 0,
    mode,
    options,
  });
  const decide = (pairId: string, value: unknown, labeler = 'me') =>
    store.labels.decide({ pairId, verdict: 'answered', value, labeler, seconds: 1, rationale: '' });
  const exported = async (): Promise<string[]> => {
    const { path } = await store.labelSets.exportPreferences(set.id);
    return readFileSync(join(folder, path), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Preference)
      .map(({ a, b, verdict }) => (verdict === 'a' ? `${a} > ${b}` : `${b} > ${a}`))
      .sort();
  };
  return { store, set, decide, exported };
}
const quality = (text: string): number => answersOf.findIndex((each) => text.startsWith(each));

describe('a ranking', () => {
  it('shows several answers to a prompt, and implies a pair for every two ranks', async () => {
    const { store, set, decide, exported } = await setForTest('ranking');
    expect(set).toMatchObject({ mode: 'ranking', pairs: 2 });
    const [item] = await store.labels.queue(set.id, [], 5);
    expect(item.answers.toSorted()).toHaveLength(3);
    const ranks = item.answers.map((answer) => quality(answer) + 1);
    const name = item.prompt[0];
    expect(await decide(item.pairId, ranks)).toMatchObject({ labeled: 1, pairs: 2 });
    expect(await exported()).toEqual([
      `fair ${name} > poor ${name}`,
      `good ${name} > fair ${name}`,
      `good ${name} > poor ${name}`,
    ]);
    expect(await store.labelSets.list()).toMatchObject([{ id: set.id, decided: 1, implied: 3 }]);
    await decide(item.pairId, [1, 1, 1]);
    expect(await store.labelSets.list()).toMatchObject([{ id: set.id, decided: 1, implied: 0 }]);
    expect((await rejected(exported())).kind).toBe('invalid-input');
  });

  it('of the wrong length, or given as a side, is refused and not stored', async () => {
    const { store, set, decide } = await setForTest('ranking');
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    for (const value of [[1, 2], [1, 2, 4], [0, 1, 2], 'best', null, undefined])
      expect((await rejected(decide(pairId, value))).kind).toBe('invalid-input');
    const sided = store.labels.decide({ pairId, verdict: 'left', labeler: 'me', seconds: 1, rationale: '' });
    expect((await rejected(sided)).where).toBe('verdict');
    expect((await store.labels.progress(set.id)).labeled).toBe(0);
  });

  it('takes no verdicts of a program, which have no ranks', async () => {
    const { store, set } = await setForTest('ranking');
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    for (const isTrial of [true, false]) {
      const stored = store.labels.decideMany('program', [{ pairId, verdict: 'a' }], isTrial);
      const { kind, message } = await rejected(stored);
      expect([kind, message]).toEqual(['invalid-input', expect.stringContaining('“ranking”')]);
    }
    expect((await store.labels.progress(set.id)).labeled).toBe(0);
  });
});

describe('a rating', () => {
  it('of single answers implies pairs of the answers to one prompt, by the mean', async () => {
    const { store, set, decide, exported } = await setForTest('rating', { attributes: ['help', 'truth'] });
    expect(set.pairs).toBe(6);
    for (const { pairId, prompt, answers } of await store.labels.queue(set.id, [], 50))
      if (prompt === 'p?') await decide(pairId, { help: 5 - quality(answers[0]), truth: 3 });
    expect(await exported()).toEqual(['fair p > poor p', 'good p > fair p', 'good p > poor p']);
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    expect((await rejected(decide(pairId, { help: 6, truth: 1 }))).where).toBe('value.help');
    expect((await rejected(decide(pairId, { help: 1 }))).where).toBe('value.truth');
  });
});

describe('a rewrite', () => {
  it('is preferred to the original answer', async () => {
    const { store, set, decide, exported } = await setForTest('rewrite');
    const [first, second] = await store.labels.queue(set.id, [], 5);
    await decide(first.pairId, { text: 'better' });
    await decide(second.pairId, { text: second.answers[0] });
    expect(await exported()).toEqual([`better > ${first.answers[0]}`]);
    expect(await store.labels.pair(first.pairId)).toMatchObject({ before: { value: { text: 'better' } } });
  });
});

describe('a set', () => {
  it('keeps its options when one of them is changed', async () => {
    const { store, set } = await setForTest('pair', { reasons: ['shorter'], lengthBlind: true });
    const changed = await store.labelSets.setOptions(set.id, { guidelines: 'Be strict.' });
    expect(changed.options).toEqual({
      ...defaultOptions,
      reasons: ['shorter'],
      lengthBlind: true,
      guidelines: 'Be strict.',
    });
  });

  it('with overlap gives each item to that many labelers, with progress and undo per labeler', async () => {
    const { store, set } = await setForTest('pair', { overlap: 2 });
    const label = async (labeler: string): Promise<number> => {
      const items = await store.labels.queue(set.id, [], 50, labeler);
      for (const { pairId } of items)
        await store.labels.decide({ pairId, verdict: 'left', labeler, seconds: 1, rationale: '' });
      return items.length;
    };
    expect(await label('ann')).toBe(set.pairs);
    expect(await store.labels.progress(set.id, 'ben')).toMatchObject({ labeled: 0, mine: 0 });
    expect(await label('ben')).toBe(set.pairs);
    expect(await label('cy')).toBe(0);
    await store.labels.undo(set.id, 'ann');
    expect(await store.labels.labelers(set.id)).toEqual([
      { labeler: 'ann', labeled: set.pairs - 1 },
      { labeler: 'ben', labeled: set.pairs },
    ]);
    expect(await label('cy')).toBe(1);
  });

  it('shows the reference of an item, and nothing of its origin', async () => {
    const { store, set } = await setForTest('pair');
    const [item] = await store.labels.queue(set.id, [], 1);
    expect(Object.keys(item).sort()).toEqual(['answers', 'pairId', 'position', 'prompt']);
    expect(await store.labels.reference(item.pairId)).toEqual({ reference: `reference ${item.prompt[0]}` });
  });
});

describe('the log', () => {
  it('repeats undone decisions with their details, until a new one is made', async () => {
    const { store, set } = await setForTest('pair');
    const [one, two, three] = await store.labels.queue(set.id, [], 3);
    const by = { labeler: 'me', seconds: 1, rationale: '' };
    const details = { strength: 3, reasons: ['clearer'], critique: 'x' };
    await store.labels.decide({ pairId: one.pairId, verdict: 'left', details, ...by });
    await store.labels.decide({ pairId: two.pairId, verdict: 'tie', ...by });
    expect(await store.labels.undo(set.id, 'me')).toMatchObject({ before: { choice: 'tie' } });
    expect(await store.labels.undo(set.id, 'me')).toMatchObject({ before: { choice: 'left', details } });
    expect(await store.labels.redo(set.id, 'somebody else')).toBeNull();
    expect(await store.labels.redo(set.id, 'me')).toMatchObject({ pairId: one.pairId, choice: 'left' });
    expect(await store.labels.redo(set.id, 'me')).toMatchObject({ pairId: two.pairId, choice: 'tie' });
    expect(await store.labels.redo(set.id, 'me')).toBeNull();
    expect(await store.labels.pair(one.pairId)).toMatchObject({ before: { details } });
    await store.labels.undo(set.id, 'me');
    await store.labels.decide({ pairId: three.pairId, verdict: 'skip', ...by });
    expect(await store.labels.redo(set.id, 'me')).toBeNull();
  });

  it('is reviewed by verdict, strength, reason, flag, labeler, time and text', async () => {
    const { store, set } = await setForTest('pair');
    const [one, two, three] = await store.labels.queue(set.id, [], 3);
    const by = { seconds: 1, rationale: '' };
    const details = { strength: 3, reasons: ['clearer'], flags: ['broken'], critique: 'The CAFÉ' };
    await store.labels.decide({ pairId: one.pairId, verdict: 'left', labeler: 'ann', details, ...by });
    await store.labels.decide({ pairId: two.pairId, verdict: 'right', labeler: 'ben', ...by });
    await store.labels.decide({ pairId: three.pairId, verdict: 'skip', labeler: 'ben', ...by });
    const found = async (filter: object) =>
      (await store.labelReview.page({ setId: set.id, filter, before: null, limit: 50 })).decisions.map(
        (d) => d.pairId,
      );
    expect(await found({})).toEqual([three.pairId, two.pairId, one.pairId]);
    for (const filter of [
      { choice: 'left' },
      { strength: 3 },
      { reason: 'clearer' },
      { flag: 'broken' },
      { labeler: 'ann' },
      { text: 'the caf' },
    ])
      expect(await found(filter), JSON.stringify(filter)).toEqual([one.pairId]);
    expect(await found({ strength: 2 })).toEqual([two.pairId]);
    expect(await found({ from: Date.now() + 60_000 })).toEqual([]);
    expect(await found({ to: Date.now() + 60_000, labeler: 'ben' })).toEqual([three.pairId, two.pairId]);
    const [newest] = (await store.labelReview.page({ setId: set.id, filter: {}, before: null, limit: 1 }))
      .decisions;
    const rest = await store.labelReview.page({
      setId: set.id,
      filter: {},
      before: newest.sequence,
      limit: 50,
    });
    expect([rest.total, rest.decisions.map((d) => d.pairId)]).toEqual([3, [two.pairId, one.pairId]]);
  });
});
