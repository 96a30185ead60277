import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bindKeys } from '../../renderer/lib/keyboard.ts';

let pressed: string[] = [];
let unbind = (): void => undefined;
const bind = (...keys: string[]) =>
  bindKeys(Object.fromEntries(keys.map((key) => [key, () => void pressed.push(key)])));
const press = (key: string, on: EventTarget = document.body, more: KeyboardEventInit = {}) =>
  on.dispatchEvent(
    new KeyboardEvent('keydown', { key, code: `Key${key.toUpperCase()}`, bubbles: true, ...more }),
  );
const type = (keys: string) => [...keys].forEach((key) => press(key));

beforeEach(() => {
  pressed = [];
  unbind = bind('u', 'x', 'g h', 'g u', 'g d', 'g c', '$mod+k');
});
afterEach(() => {
  unbind();
  document.body.replaceChildren();
});

describe('keys of the window', () => {
  it('act alone, or as sequences, however fast one sequence follows another', () => {
    type('ghgugdgcghgdu');
    expect(pressed).toEqual(['g h', 'g u', 'g d', 'g c', 'g h', 'g d', 'u']);
  });

  it('after the leader never act alone', () => {
    type('gxxgd');
    expect(pressed).toEqual(['x', 'g d']);
  });

  it('are text in a field, chords excepted', () => {
    const field = document.body.appendChild(document.createElement('input'));
    press('u', field);
    press('g', field);
    press('h', field);
    press('k', field, { ctrlKey: true });
    expect(pressed).toEqual(['$mod+k']);
    press('u');
    expect(pressed).toEqual(['$mod+k', 'u']);
  });

  it('refuse a sequence with another leader', () => {
    expect(() => bind('x u')).toThrow('x u does not begin with g');
  });
});
