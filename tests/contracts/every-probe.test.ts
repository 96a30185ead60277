/** Every probe: a pure edit that changes an answer or does not apply to it, with an example for which it does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { probeIds } from '../../engine/schema/probe-ids.ts';
import { probes, type ProbedAnswer } from '../../engine/probes/index.ts';

const other = 'Water boils at 100 degrees.';
/** The edit of an answer that the probe applies to. */
const examples: { readonly [id: string]: readonly [completion: string, edited: string] } = {
  padded: ['It is 4.', 'It is 4. I hope that this is of help. Please let me know if there is anything else.'],
  repeated: ['First. Then the end!', 'First. Then the end! Then the end!'],
  reformatted: ['One thing. Another? Yes', '- One thing.\n- Another?\n- Yes'],
  flattered: [' It is 4.', 'What an excellent and thoughtful question! It is 4.'],
  confident: ['It is 4.\n', 'It is 4. I am completely sure about this.'],
  reordered: ['Buy:\n- milk\n- bread\n- tea\nThat is all.', 'Buy:\n- tea\n- bread\n- milk\nThat is all.'],
  paraphrased: ['However, many birds often sing.', 'Nevertheless, numerous birds frequently sing.'],
  'wrong-number': ['12 + 7 = 1,999, or 0099.', '12 + 7 = 1,999, or 0100.'],
  cut: ['one two three four five', 'one two'],
  negated: ['The sky is blue and is wide.', 'The sky is not blue and is wide.'],
  exchanged: ['It is 4.', other],
};
const answer = (completion: string): ProbedAnswer => ({ prompt: 'Why?', completion, other });

it('every probe can be demanded of a judge', () => {
  expect(probes.map(({ id }) => id)).toEqual([...probeIds]);
});

describe.each(probes.map((probe) => [probe.id, probe] as const))('the probe %s', (id, probe) => {
  it('edits its example as it says', () => {
    const [completion, edited] = examples[id];
    expect(probe.edit(answer(completion))).toBe(edited);
  });

  it('changes any answer, or does not apply, and always in the same way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (completion) => {
        const edited = probe.edit(answer(completion));
        expect(probe.edit(answer(completion))).toBe(edited);
        if (edited !== null) {
          expect(edited).not.toBe(completion);
          expect(edited.trim()).not.toBe('');
        }
      }),
    );
  });

  it('does not apply to an empty answer, unless it exchanges it', () => {
    expect(probe.edit(answer(''))).toBe(id === 'exchanged' ? other : null);
  });

  it('is described by a title and a sentence, and has its own id', () => {
    expect(probe.title).toMatch(/^[A-Z]/);
    expect(probe.summary).toMatch(/^[A-Z].*\.$/);
    expect(probes.filter((each) => each.id === id)).toHaveLength(1);
  });
});

describe('negation', () => {
  const negated = probes.find(({ id }) => id === 'negated');
  it.each([
    ['Yes, it can.', 'No, it can.'],
    ['no', 'yes'],
    ['You should never do that.', 'You should do that.'],
    ["It isn't there, but it can fly.", "It isn't there, but it can not fly."],
    ['Nothing here.', null],
  ])('makes of %j %j', (completion, edited) => {
    expect(negated?.edit(answer(completion))).toBe(edited);
  });
});
