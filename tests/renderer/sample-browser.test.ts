import { describe, expect, it } from 'vitest';
import type { BrowsedSample, PromptGroup, SampleToken } from '../../preload/contract/samples.ts';
import { SampleBrowser, type BrowserAddress } from '../../renderer/features/runs/browse/browser.svelte.ts';
import { originText } from '../../renderer/features/runs/browse/origin.ts';
import { scoreChoices } from '../../renderer/features/runs/browse/sort-choices.ts';
import { tintStrengths, tintValue } from '../../renderer/features/runs/browse/tokens.svelte.ts';

type Port = ConstructorParameters<typeof SampleBrowser>[1];
type Asked = Parameters<Port['page']>[0];

const settled = () => new Promise((resolve) => setTimeout(resolve));
const sample = (at: number): BrowsedSample =>
  ({ id: `s${at}`, completion: `text ${at}`, promptId: 'p', copies: at === 1 ? 41 : 1 }) as BrowsedSample;

/** A browser of so many answers, with what it asked for. */
function browserOf(count: number, address: BrowserAddress = {}, pending = 0) {
  const asked: Asked[] = [];
  const kept: BrowserAddress[] = [];
  const indexed: { end: (error?: unknown) => void }[] = [];
  const browser = new SampleBrowser(
    'r',
    {
      page: async (input) => {
        asked.push(input);
        const { offset = 0, limit = 50 } = input;
        const places = Array.from(
          { length: Math.max(0, Math.min(limit, count - offset)) },
          (_n, i) => offset + i,
        );
        const isPrompts = input.view === 'prompts';
        return {
          total: count,
          more: offset + places.length < count,
          asOf: [count],
          samples: isPrompts ? [] : places.map(sample),
          prompts: isPrompts ? places.map((at) => ({ promptId: `p${at}`, answers: 8 }) as PromptGroup) : [],
        };
      },
      facets: async () => ({ total: count, scores: ['total', 'judge'], facets: [] }),
      pending: async () => ({ answers: pending, texts: 0 }),
      tokens: () => Promise.reject(new Error('unused')),
      index: (_input, _onValue, onEnd) => {
        indexed.push({ end: (error) => onEnd?.(error) });
        return () => undefined;
      },
    },
    { error: (error) => expect.fail(String(error)), keep: (own) => void kept.push(own) },
    address,
  );
  return { browser, asked, kept, indexed };
}

describe('the browser of answers', () => {
  it('shows what its address says, and keeps changes in it', async () => {
    const { browser, asked, kept } = browserOf(3, {
      q: 'wrong',
      sort: '-judge~total',
      view: 'distinct',
      runs: 's,r,s',
    });
    browser.open();
    await settled();
    expect(asked[0]).toMatchObject({
      runIds: ['r', 's'],
      query: 'wrong',
      sort: { by: 'judge', against: 'total', descending: true },
      view: 'distinct',
    });
    browser.show('answers');
    expect(kept.at(-1)).toEqual({ q: 'wrong', sort: '-judge~total', runs: 's' });
    const before = asked.length;
    browser.take({ q: 'wrong', sort: '-judge~total', runs: 's' });
    await settled();
    expect(
      asked.slice(before).every(({ view }) => view === 'answers'),
      'nothing changed',
    ).toBe(true);
    browser.take({});
    expect([browser.query, browser.sort, browser.others]).toEqual(['', null, []]);
  });

  it('opens a prompt, then equal answers, and goes back', async () => {
    const { browser, asked } = browserOf(3, { view: 'prompts' });
    browser.open();
    await settled();
    browser.go(2);
    browser.enter();
    await settled();
    expect(asked.at(-1)).toMatchObject({ promptId: 'p2', view: 'distinct', equalTo: null });
    browser.go(0);
    browser.enter();
    expect(browser.equalTo, 'one answer has no equals').toBeNull();
    browser.go(1);
    browser.enter();
    await settled();
    expect(asked.at(-1)).toMatchObject({ promptId: 'p2', view: 'answers', equalTo: 's1' });
    expect([browser.leave(), browser.leave(), browser.leave()]).toEqual([true, true, false]);
    expect(browser.address).toEqual({ view: 'prompts' });
  });

  it('opens the answer that another one began in, whatever the query says', async () => {
    const { browser, asked } = browserOf(3, { q: 'wrong', sort: '-judge' });
    browser.open();
    await settled();
    browser.openParent('s7');
    await settled();
    expect(asked.at(-1)).toMatchObject({ ids: ['s7'], view: 'answers', sort: null });
    expect(asked.at(-1)?.query).not.toContain('wrong');
    expect(browser.address).toEqual({ q: 'wrong', sort: '-judge', answer: 's7' });
    expect([browser.leave(), browser.leave()]).toEqual([true, false]);
    await settled();
    expect(asked.at(-1)).toMatchObject({ ids: null, query: 'wrong' });
    browser.openParent('s7');
    browser.ask('right');
    await settled();
    expect(asked.at(-1), 'a new query lists what matches').toMatchObject({ ids: null, query: 'right' });
    browser.take({ answer: 's8' });
    await settled();
    expect(asked.at(-1)).toMatchObject({ ids: ['s8'] });
  });

  it('says where an answer began', () => {
    const from = { runId: 'r', step: 40, sample: 2, correct: false };
    const none = { parent: null, startState: null, tokens: 0, characters: 0, from: null };
    expect(originText({ ...none, parent: 'p', tokens: 12, from })).toBe(
      'Begins with 12 tokens of sample 3 of step 40, which is wrong.',
    );
    expect(originText({ ...none, tokens: 1 })).toBe('Begins with 1 token of another text.');
    expect(originText({ ...none, parent: 'p', from: { ...from, correct: null } })).toBe(
      'Revises sample 3 of step 40.',
    );
    expect(originText({ ...none, parent: 'p' })).toBe('Revises an answer that is not stored.');
  });

  it('counts new answers and leaves the list as it is, until they are wanted', async () => {
    const { browser, asked } = browserOf(200);
    browser.open();
    await settled();
    browser.arrived(12);
    expect([browser.waiting, browser.total, asked.length]).toEqual([12, 200, 1]);
    browser.need(60, 70);
    await settled();
    expect(asked.at(-1), 'the pages that follow are as of the first one').toMatchObject({
      offset: 50,
      asOf: [200],
    });
    browser.again();
    expect(browser.waiting).toBe(0);
    await settled();
    expect(asked.at(-1)).toMatchObject({ offset: 0, asOf: null });
  });

  it('shows the first answers of a run at once', async () => {
    const { browser, asked } = browserOf(0);
    browser.open();
    await settled();
    browser.arrived(3);
    await settled();
    expect([asked.length, browser.waiting]).toEqual([2, 0]);
  });

  it('selects answers one by one, a range, and all that match', async () => {
    const { browser } = browserOf(5, { q: 'x' });
    browser.open();
    await settled();
    browser.go(1);
    browser.go(3, true);
    browser.selection.toggle('s2');
    expect(browser.selected).toMatchObject({ ids: ['s1', 's3'], query: 'x' });
    browser.selection.toggleAll();
    expect([browser.isSelected(4), browser.selected.ids]).toEqual([true, null]);
    browser.ask('y');
    expect([browser.selection.isAll, browser.selected.query]).toEqual([false, 'y']);
  });

  it('waits with queries until columns of many answers are derived, and shows the newest meanwhile', async () => {
    const { browser, asked, indexed } = browserOf(100_000, {}, 100_000);
    browser.open();
    await settled();
    expect([browser.isPreparing, asked.length]).toEqual([true, 1]);
    browser.ask('wrong');
    await settled();
    expect([asked.length, browser.total]).toEqual([1, null]);
    indexed[0].end();
    await settled();
    expect([browser.isPreparing, asked.at(-1)?.query]).toEqual([false, 'wrong']);
  });

  it('shows a fault of the query, with its term', async () => {
    const { browser, asked } = browserOf(3, { q: 'is:nothing' });
    browser.open();
    await settled();
    expect([browser.fault?.where, browser.total, asked]).toEqual(['is:nothing', null, []]);
  });
});

describe('orders of answers', () => {
  it('name scores as queries do, and leave counts of failures out', () => {
    expect(scoreChoices(['length', 'total', 'snippet/failed']).map(({ by }) => by)).toEqual([
      'score.length',
      'total',
    ]);
  });
});

describe('tints of tokens', () => {
  const token = (sampled: number, logp: number): SampleToken => ({
    text: 'a',
    ends: false,
    sampled,
    logp,
    entropy: 0.5,
  });

  it('are the log-ratio, the entropy and the surprise', () => {
    const own = token(-2, -0.5);
    expect([tintValue(own, 'log-ratio'), tintValue(own, 'entropy'), tintValue(own, 'surprise')]).toEqual([
      1.5, 0.5, 2,
    ]);
    expect(tintValue(token(0, -3), 'log-ratio'), 'not sampled by the model').toBeNull();
  });

  it('are relative to the largest sizes, and nothing where all are equal to 0', () => {
    expect(tintStrengths([token(-2, -1), token(-1, -3), token(-1, -1)], 'log-ratio')).toEqual([0.5, -1, 0]);
    expect(tintStrengths([token(-1, -1)], 'log-ratio')).toEqual([0]);
    expect(tintStrengths([], 'entropy')).toEqual([]);
  });
});
