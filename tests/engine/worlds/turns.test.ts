import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinTranscript, splitTranscript, unmarked } from '../../../engine/common/transcript.ts';
import { openWorldById, played, replayed, type World } from '../../../engine/worlds/index.ts';

const games = [
  ...['toy/turns', 'grid', 'tools', 'lookup'].map((id) => [id, openWorldById(id)] as const),
  ['toy/turns with five turns', openWorldById('toy/turns', { turns: 5 })] as const,
  ['tools with errors', openWorldById('tools', { errors: 0.4 })] as const,
  ['lookup with judgements', openWorldById('lookup', { judged: true })] as const,
];
const turnsOf = (world: World) =>
  world.turns ??
  (() => {
    throw new Error('no turns');
  })();
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

test('a transcript can be split again after joining', () => {
  const text = fc.string().map(unmarked);
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), text, (pairs, last) => {
      const transcript = {
        turns: [...pairs.map(([turn]) => turn), last],
        replies: pairs.map(([, reply]) => reply),
      };
      expect(splitTranscript(joinTranscript(transcript))).toEqual(transcript);
    }),
  );
});

describe.each(games)('the turns of %s', (_, world) => {
  const turns = turnsOf(world);

  test('are a function of the prompt and earlier turns, and end', () => {
    for (const i of range(60)) {
      const { prompt } = world.problem('heldout', i, 0);
      const babble = () =>
        played(
          turns,
          prompt,
          (replies) => world.alphabet[(i + replies.length) % (world.alphabet.length - 2)],
        );
      expect(babble()).toBe(babble());
      expect(splitTranscript(babble()).turns.length).toBeLessThanOrEqual(turns.limit);
      expect(world.verify(prompt, babble())).toEqual(world.verify(prompt, babble()));
    }
    expect(turns.next('no prompt of any world', ['x'])).toEqual({ done: true });
  });

  test('a stored transcript keeps its verdict, and one with a reply that the world did not give is wrong', () => {
    let altered = 0;
    for (const i of range(200)) {
      const { prompt, answer, correct } = world.demonstration(i, 3);
      expect(replayed(turns, prompt, answer)).toEqual(splitTranscript(answer).turns);
      expect(world.verify(prompt, answer).correct).toBe(correct);
      const { turns: ownTurns, replies } = splitTranscript(answer);
      if (replies.length === 0) continue;
      altered++;
      const forged = joinTranscript({
        turns: ownTurns,
        replies: replies.map((reply, at) => (at === i % replies.length ? `${reply}1` : reply)),
      });
      expect(replayed(turns, prompt, forged)).toBeNull();
      expect(world.verify(prompt, forged).correct).toBe(false);
    }
    expect(altered).toBeGreaterThan(100);
  });

  test('any text as a turn gets a reply or ends the game, without throwing', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { minLength: 1, maxLength: 4 }),
        (i, ownTurns) => {
          const outcome = turns.next(world.problem('heldout', i, 0).prompt, ownTurns);
          expect('done' in outcome || typeof outcome.reply === 'string').toBe(true);
        },
      ),
    );
  });
});

describe('the grid', () => {
  const world = openWorldById('grid');
  const solved = (view: string, moves: number): string => {
    // breadth-first search over positions and the key, independent of the world's own
    const rows = view.split('/');
    const at = (letter: string) =>
      rows.flatMap((row, r) => (row.includes(letter) ? [[r, row.indexOf(letter)]] : []))[0];
    const start = at('@') ?? at('&');
    const hasKey = view.includes('&');
    const queue: { r: number; c: number; key: boolean; path: string }[] = [
      { r: start[0], c: start[1], key: hasKey, path: '' },
    ];
    const seen = new Set<string>();
    for (const { r, c, key, path } of queue) {
      for (const [letter, dr, dc] of [
        ['u', -1, 0],
        ['d', 1, 0],
        ['l', 0, -1],
        ['r', 0, 1],
      ] as const) {
        const field = rows[r + dr]?.[c + dc];
        if (field === 'd' && key) return (path + letter).slice(0, moves);
        if (field === undefined || field === '#' || field === 'd') continue;
        const to = { r: r + dr, c: c + dc, key: key || field === 'k', path: path + letter };
        const name = [to.r, to.c, to.key].join();
        if (!seen.has(name)) queue.push(to);
        seen.add(name);
      }
    }
    return '';
  };

  test('a solver that replans at each view solves every problem', () => {
    for (const i of range(300)) {
      const { prompt } = world.problem('heldout', i, 0);
      const answer = played(turnsOf(world), prompt, (replies) =>
        solved(replies.at(-1) ?? prompt.slice(0, -1), 2),
      );
      expect(world.verify(prompt, answer), answer).toMatchObject({ correct: true, reward: 1 });
    }
  });

  test('walls, the edge and a closed door stop a move; the door opens with the key', () => {
    const next = (...ownTurns: string[]) => turnsOf(world).next('@.k/.#./..d?', ownTurns);
    expect(next('l')).toEqual({ reply: '@.k/.#./..d' });
    expect(next('rd')).toEqual({ reply: '.@k/.#./..d' });
    expect(next('dd', 'rr')).toEqual({ reply: '..k/.#./.@d' });
    expect(next('rr')).toEqual({ reply: '..&/.#./..d' });
    expect(next('rr', 'dd')).toEqual({ done: true });
    expect(next('rrr')).toEqual({ done: true });
    expect(world.verify('@.k/.#./..d?', 'rr⟦..&/.#./..d⟧dd')).toMatchObject({ correct: true });
    expect(world.verify('@.k/.#./..d?', 'rrdd').reason).toBe('not a game of this world');
    expect(world.verify('@.k/.#./..d?', 'rr').reason).toBe('the door was not reached');
  });
});

describe('the two tools', () => {
  const world = openWorldById('tools');

  test('a solver that looks up, calculates and answers solves every problem', () => {
    for (const i of range(300)) {
      const { prompt } = world.problem('heldout', i, 0);
      const parts = prompt
        .slice('cost of '.length, -1)
        .split('+')
        .map((part) => part.split(' '));
      const answer = played(turnsOf(world), prompt, (replies) => {
        if (replies.length < parts.length) return `find(${parts[replies.length][1]})`;
        return replies.length === parts.length
          ? `calc(${parts.map(([count], at) => `${count}*${replies[at]}`).join('+')})`
          : `answer ${replies.at(-1)}`;
      });
      expect(world.verify(prompt, answer), answer).toMatchObject({ correct: true, reward: 1 });
    }
  });

  test('invalid calls give an error, and unknown items are not found', () => {
    const next = (turn: string) => turnsOf(world).next('cost of 3 pen+2 cup?', [turn]);
    expect(next('find(cow)')).toEqual({ reply: 'not found' });
    expect(next('calc(1+2*3)')).toEqual({ reply: '7' });
    for (const turn of ['calc(1/0)', 'calc()', `calc(${'9*'.repeat(30)}9)`, 'pen', '', 'find(pen) '])
      expect(next(turn), turn).toEqual({ reply: 'error' });
    expect(next('answer 3')).toEqual({ done: true });
    expect(next('answer')).toEqual({ done: true });
  });
});
