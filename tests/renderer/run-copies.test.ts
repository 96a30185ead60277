import { describe, expect, it } from 'vitest';
import { focusedRange, focusIn } from '../../renderer/features/runs/curve-focus.ts';
import { highlighted } from '../../renderer/features/run-doctor/highlight.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';
import { changesIn, copyWith } from '../../renderer/lib/run-copies.ts';
import { parseHash } from '../../renderer/lib/router.svelte.ts';
import { caught } from '../support/errors.ts';

describe('the address of a copy with other settings', () => {
  it('carries every change to the form', () => {
    const changes = [
      { path: ['optimizer', 'learningRate'], value: 0.0001 },
      { path: ['rewards', '0', 'weight'], value: 0 },
      { path: ['method', 'params', 'dropFlat'], value: true },
    ];
    const { path, query } = parseHash(copyWith('the run', changes));
    expect([path, query.from]).toEqual([['runs', 'new'], 'the run']);
    expect(changesIn(query.set)).toEqual(changes);
  });

  it.each(['', '{', '[]', '"text"', 'null', '{}', '{"__proto__.x":1}', '{"a.constructor.b":1}'])(
    'is refused where it holds no settings: %s',
    (text) => {
      expect(caught(() => changesIn(text))).toMatchObject({ kind: 'invalid-input', where: 'set' });
    },
  );
});

describe('a part of a curve that an address names', () => {
  it('has a curve and two steps in order', () => {
    expect(focusIn({ curve: 'kl', from: '20', to: '60' })).toEqual({
      names: ['kl', 'policy/kl'],
      from: 20,
      to: 60,
    });
    expect([
      focusIn({}),
      focusIn({ curve: 'kl' }),
      focusIn({ curve: 'kl', from: 'x', to: '3' }),
      focusIn({ curve: 'kl', from: '5', to: '3' }),
    ]).toEqual([null, null, null, null]);
  });

  it('is shown with some steps around it, within the curve', () => {
    const focus = { names: ['kl'], from: 20, to: 60 };
    expect(focusedRange(focus, [0, 100])).toEqual([0, 80]);
    expect(focusedRange({ ...focus, to: 20 }, [0, 1000])).toEqual([10, 30]);
    expect(focusedRange(focus, [500, 600]), 'of another run').toEqual([500, 600]);
  });

  it('is drawn as a line of its own, with a point before and after it', () => {
    const steps = Float64Array.from({ length: 10 }, (_none, at) => at);
    const line = { id: 'a', label: 'run', mark: markOf(1), steps, values: steps };
    const [whole, part] = highlighted(line, 4, 5, 'found');
    expect([whole, [...part.steps]]).toEqual([line, [3, 4, 5, 6]]);
    expect(part.mark.index).not.toBe(line.mark.index);
    expect(highlighted(line, 50, 60, 'found')).toEqual([line]);
  });
});
