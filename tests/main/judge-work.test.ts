import { describe, expect, it } from 'vitest';
import { defaultJudge } from '../../preload/wire/judge.ts';
import { dueWork, orderKey, type Candidates, type JudgeState } from '../../main/judging/work.ts';

const source = 'source';
const plain: JudgeState = {
  mode: 'pair',
  pairs: 1000,
  labeled: 0,
  decided: 0,
  seed: 0,
  settings: defaultJudge,
  sequence: 0,
  fit: null,
  order: null,
};
const uncertain = { ...defaultJudge, order: 'uncertain' };
const fit = (labels: number, newLabels: number): JudgeState['fit'] => ({
  ...{ labels, newLabels, accuracy: 0.7, interval: [0.6, 0.8], at: 0, leftOut: 0, curve: [] },
  sequence: 90,
  hasHead: true,
});
const order = (own: Partial<NonNullable<JudgeState['order']>> = {}): JudgeState['order'] => ({
  ...{ settings: orderKey(uncertain, source), fitSequence: 90, candidates: 100, at: 0, newLabels: 0 },
  ...own,
});
const all: Candidates = { read: 100, isAll: true };
const due = (state: Partial<JudgeState>, candidates = all, isForced = false) =>
  dueWork({ ...plain, ...state }, source, { isForced, candidates });

describe('the judge’s next step', () => {
  it('is a fit from fifty decisions on, then every n labels, at least two percent', () => {
    expect([due({ decided: 49 }), due({ decided: 50 })]).toEqual([null, 'fit']);
    const after = (labels: number, newLabels: number) =>
      due({ decided: labels, fit: fit(labels, newLabels) });
    expect([after(70, 19), after(70, 20)]).toEqual([null, 'fit']);
    expect([after(5000, 99), after(5000, 100)]).toEqual([null, 'fit']);
    expect(due({ decided: 70, fit: fit(70, 0) }, all, true)).toBe('fit');
  });

  it('is an order once there is a judge and enough candidates have features', () => {
    const state = { settings: uncertain, decided: 60, fit: fit(60, 0) };
    expect(due({ settings: uncertain, decided: 10 })).toBeNull();
    expect(due(state)).toBe('order');
    expect(due(state, { read: 63, isAll: false })).toBe('read');
    expect(due(state, { read: 64, isAll: false })).toBe('order');
    expect(due({ ...state, order: order() })).toBeNull();
    expect(due({ ...state, order: order({ fitSequence: 70 }) })).toBe('order');
    expect(due({ ...state, order: order({ settings: 'others' }) })).toBe('order');
  });

  it('is another order when twice as many candidates have features, and when all have', () => {
    const state = { settings: uncertain, decided: 60, fit: fit(60, 0), order: order({ candidates: 64 }) };
    expect(due(state, { read: 127, isAll: false })).toBeNull();
    expect(due(state, { read: 129, isAll: false })).toBe('order');
    expect(due(state, { read: 70, isAll: true })).toBe('order');
  });

  it('makes the queue random again when that is chosen, or the judge is gone', () => {
    expect(due({ order: order() })).toBe('clear');
    expect(due({ settings: uncertain, order: order() })).toBe('clear');
  });

  it('needs no judge for an order of features alone, and follows the labels', () => {
    const settings = { ...defaultJudge, order: 'novelty' };
    const own = (newLabels: number) =>
      order({ settings: orderKey(settings, source), fitSequence: null, newLabels });
    expect(due({ settings })).toBe('order');
    expect(due({ settings, order: own(19) })).toBeNull();
    expect(due({ settings, order: own(20) })).toBe('order');
  });
});
