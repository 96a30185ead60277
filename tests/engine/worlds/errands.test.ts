import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { changes, LONGEST, read, say } from '../../../engine/worlds/toy/errand-language.ts';

const meant = (text: string): string | null => openWorldById('toy/errands').wordings?.answer(text) ?? null;

describe('the language of errands', () => {
  test('reads plain instructions, greetings, and each kind of change', () => {
    expect(meant('take cup then push box.')).toBe('tc pb');
    expect(meant('hey robot, now please take cup then push box.')).toBe('tc pb');
    const changed = {
      'grab mug then shove box.': 'synonym',
      'take cupp then push box.': 'spelling',
      'push box after take cup.': 'order',
      'before push box, take cup.': 'order',
      'take not box but cup then push box.': 'negation',
      'the map is old, take cup then push box.': 'distractor',
      'take cup then push box, ignore key.': 'distractor',
    } as const;
    for (const [text, kind] of Object.entries(changed)) {
      expect(meant(text), text).toBe('tc pb');
      expect(read(text)?.changes, text).toEqual([kind]);
    }
  });

  test('refuses what is no instruction, or contradicts itself', () => {
    for (const text of [
      '',
      'take cup then push box',
      'take cup push box.',
      'take cup then push cup.',
      'take not cup but cup then push box.',
      'take cup then push box, ignore cup.',
      'the box is old, take cup then push box.',
      'before push box after take cup.',
      'take cup then push box then take key.',
    ])
      expect(meant(text), text).toBeNull();
  });

  test('says every goal in every combination of changes such that it is read again', () => {
    fc.assert(
      fc.property(
        fc.subarray([...changes]),
        fc.nat(10_000),
        fc.constantFrom('tc pb', 'pj tm', 'tk tp'),
        (how, seed, answer) => {
          const plain = [...answer.split(' ')]
            .map(
              ([act, thing]) =>
                `${act === 't' ? 'take' : 'push'} ${{ c: 'cup', p: 'pen', b: 'box', j: 'jar', k: 'key', m: 'map' }[thing]}`,
            )
            .join(' then ');
          const goal = read(`${plain}.`)?.goal;
          if (!goal) throw new Error(plain);
          const text = say(goal, new Set(how), stream(seed, 'test'));
          expect(meant(text), text).toBe(answer);
          expect(read(text)?.changes).toEqual(how);
          expect(text.length).toBeLessThanOrEqual(LONGEST);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('draws as many changed instructions as asked for, each with as many changes', () => {
    const world = openWorldById('toy/errands', { changed: 0.25, changes: 2 });
    const kinds = Array.from(
      { length: 400 },
      (_none, at) => world.wordings?.kindsOf(world.problem('train', at, 1).prompt).length,
    );
    expect(new Set(kinds)).toEqual(new Set([0, 2]));
    expect(kinds.filter((count) => count === 2).length / 400).toBeCloseTo(0.25, 1);
  });
});
