import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frames, unframed } from '../../../engine/common/frames.ts';
import { stream } from '../../../engine/random/random.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';

const wordingsOf = (id: string) => openWorldById(id).wordings ?? expect.unreachable(id);

describe('wordings of arithmetic', () => {
  const wordings = wordingsOf('arithmetic');

  test('know each kind of change, and the lines of the longer sum', () => {
    expect(wordings.kindsOf('7+4*3=?')).toEqual([]);
    expect(wordings.kindsOf('7+(4*3)=?')).toEqual(['parentheses']);
    expect(wordings.kindsOf('(7)+4*3=?')).toEqual(['parentheses']);
    // needed ones are no change
    expect(wordings.kindsOf('(7+4)*3=?')).toEqual([]);
    for (const zero of ['7+0+4*3=?', '0+7+4*3=?', '7+4*(3-0)=?'])
      expect(wordings.kindsOf(zero), zero).toEqual(['zero']);
    expect(wordings.kindsOf('7-(0-4*3)=?')).toEqual(['negation']);
    expect(wordings.worked('7-(0-4*3)=?')).toBe('4*3=12\n0-12=-12\n7--12=19\n#19');
    expect(wordings.answer('7-(0-4*3)=?')).toBe('19');
  });

  test('say problems of zeros alone', () => {
    for (const prompt of ['0-0=?', '0-(0-0)=?', '0+0=?', '0*0=?'])
      for (let seed = 0; seed < 20; seed++) {
        const said = wordings.say(prompt, ['zero'], stream(seed, 'zeros')) ?? '';
        expect(wordings.kindsOf(said), said).toContain('zero');
        expect(wordings.answer(said), said).toBe('0');
      }
  });

  test('say a problem with exactly the kinds that are asked for, and with the same value', () => {
    fc.assert(
      fc.property(fc.subarray([...wordings.kinds]), fc.nat(5000), (kinds, seed) => {
        const { prompt, reference } = openWorldById('arithmetic').problem('train', seed, 1);
        const said = wordings.say(prompt, kinds, stream(seed, 'test')) ?? '';
        expect(wordings.kindsOf(said), said).toEqual(kinds);
        expect(wordings.answer(said), said).toBe(reference);
      }),
      { numRuns: 400 },
    );
  });
});

describe('wordings of graphs', () => {
  const wordings = wordingsOf('graph-colouring');

  test('know each kind of change', () => {
    expect(wordings.kindsOf('colour ab ac bc with 3?')).toEqual([]);
    expect(wordings.kindsOf('colour ac ab bc with 3?')).toEqual(['order']);
    expect(wordings.kindsOf('colour ba ac bc with 3?')).toEqual(['direction']);
    expect(wordings.kindsOf('colour ab ab ac bc with 3?')).toEqual(['repetition']);
    expect(wordings.worked('colour bc ca ab with 3?')).toBe('a=1\nb=2\nc=3\n#123');
  });

  test('say a problem with exactly the kinds that are asked for, of the same graph', () => {
    const edgesIn = (text: string) =>
      new Set((text.match(/\b[a-l]{2}\b/g) ?? []).map((edge) => [...edge].sort().join('')));
    fc.assert(
      fc.property(fc.subarray([...wordings.kinds]), fc.nat(500), (kinds, seed) => {
        const { prompt } = openWorldById('graph-colouring').problem('train', seed, 1);
        const said = wordings.say(prompt, kinds, stream(seed, 'test')) ?? '';
        expect(wordings.kindsOf(said), said).toEqual(kinds);
        expect(edgesIn(said)).toEqual(edgesIn(prompt));
      }),
      { numRuns: 200 },
    );
  });
});

describe('text around a prompt', () => {
  test('leaves the prompt as it is, and is told from it again, with its themes', () => {
    fc.assert(
      fc.property(fc.subarray([...frames.kinds]), fc.string(), fc.nat(), (kinds, prompt, seed) => {
        const said = frames.say(prompt, kinds, stream(seed, 'test')) ?? '';
        expect(said).toContain(prompt);
        expect(unframed(said)).toEqual({ prompt, kinds });
      }),
      { numRuns: 400 },
    );
  });

  test('is told from prompts of several paragraphs, and refuses one that reads like itself', () => {
    const draw = stream(1, 'test');
    const long = 'A question.\n\nWith two paragraphs?';
    expect(unframed(frames.say(long, ['repetition', 'doubt'], draw) ?? '').prompt).toBe(long);
    const alike = 'Many people get this wrong.\n\n2 + 2?';
    expect(frames.say(alike, ['politeness'], draw)).toBeNull();
    expect(frames.kindsOf('2 + 2?')).toEqual([]);
  });
});
