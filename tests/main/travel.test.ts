import { describe, expect, it } from 'vitest';
import { evenly } from '../../main/store/travel.ts';
import { plantTravel, travelled } from '../support/travelled.ts';
import { workspaceForTest } from '../support/workspace.ts';

describe('the answers to a prompt over time', () => {
  it('are those of the newest attempt at each step, by run and step, with scores and verdicts', async () => {
    const { store } = await workspaceForTest();
    const [steady, resumed] = await plantTravel(store, travelled);
    const { prompt, stops, leftOut } = await store.travel.answers(
      [resumed, steady, resumed],
      'id of count to ten',
      1,
    );
    expect({ prompt, leftOut }).toEqual({ prompt: 'count to ten', leftOut: 0 });
    expect(stops.map(({ runId, step }) => [runId === steady ? 'steady' : 'resumed', step])).toEqual([
      ...[10, 20, 40].map((step) => ['resumed', step]),
      ...[10, 20, 30, 40].map((step) => ['steady', step]),
    ]);
    expect(stops[0]).toMatchObject({ count: 2, right: 0.5, answers: [{ sample: 0, correct: false }] });
    expect(stops[1].answers).toMatchObject([
      { completion: 'resumed says one two three again', scores: { verifier: 1 }, correct: true },
    ]);
  });

  it('are empty for a prompt that no run answered', async () => {
    const { store } = await workspaceForTest();
    const ids = await plantTravel(store, travelled);
    expect(await store.travel.answers(ids, 'nothing', 4)).toEqual({ prompt: null, stops: [], leftOut: 0 });
  });
});

describe('prompts', () => {
  it('are found by a part of their text, those of most runs first; % and _ are themselves', async () => {
    const { store } = await workspaceForTest();
    const ids = await plantTravel(store, travelled);
    const found = async (search: string, limit = 100) => {
      const { prompts, more } = await store.travel.prompts(ids, search, limit);
      return [...prompts.map(({ prompt, runs }) => `${prompt} ${runs}`), ...(more ? ['more'] : [])];
    };
    expect(await found('')).toEqual(['count to ten 2', 'name a river 2', '50 %_ off 1']);
    expect(await found('RIVER')).toEqual(['name a river 2']);
    expect(await found('%_')).toEqual(['50 %_ off 1']);
    expect(await found('', 2)).toEqual(['count to ten 2', 'name a river 2', 'more']);
    expect((await store.travel.prompts(['nobody'], '', 10)).prompts).toEqual([]);
  });
});

describe('evenly', () => {
  it('keeps the first and the last', () => {
    const all = Array.from({ length: 10 }, (_none, at) => at);
    expect(evenly(all, 4)).toEqual([0, 3, 6, 9]);
    expect(evenly(all, 1)).toEqual([9]);
    expect(evenly(all, 20)).toEqual(all);
    expect(evenly([], 3)).toEqual([]);
  });
});
