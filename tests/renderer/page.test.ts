import { afterEach, describe, expect, it } from 'vitest';

const labelsOf = (id: string) =>
  [...((document.getElementById(id) as HTMLInputElement).labels ?? ['none'])].map((label) =>
    typeof label === 'string' ? label : (label.textContent ?? '').trim(),
  );

afterEach(() => document.body.replaceChildren());

describe('labels of a control in the page of tests', () => {
  it('are those that name its id and the one around it, in the order of the page', () => {
    document.body.innerHTML =
      '<label for="a">first</label><label>around <span><input id="a"></span></label><label for="a">last</label>' +
      '<label for="b">elsewhere <input id="c"></label><select id="b"></select><p id="p"></p>';
    expect(labelsOf('a')).toEqual(['first', 'around', 'last']);
    expect(labelsOf('b')).toEqual(['elsewhere']);
    expect(labelsOf('c')).toEqual([]);
  });
  it('belong to the first control within a label, and to no hidden one', () => {
    document.body.innerHTML =
      '<label>both <input id="h" type="hidden"><textarea id="a"></textarea><button id="b"></button></label>';
    expect([labelsOf('h'), labelsOf('a'), labelsOf('b')]).toEqual([['none'], ['both'], []]);
  });
  it('follow every change at once', () => {
    document.body.innerHTML = '<label for="x">one</label><input id="a">';
    expect(labelsOf('a')).toEqual([]);
    document.querySelector('label')?.setAttribute('for', 'a');
    expect(labelsOf('a')).toEqual(['one']);
    document.body.insertAdjacentHTML('afterbegin', '<label for="a">zero</label>');
    expect(labelsOf('a')).toEqual(['zero', 'one']);
    document.querySelector('label')?.remove();
    expect(labelsOf('a')).toEqual(['one']);
  });
});
