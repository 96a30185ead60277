import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import { REPLY_BEGINS, REPLY_ENDS } from '../common/transcript.ts';
import { played, replayed, type TurnOutcome, type Turns } from './turns.ts';
import {
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld } from './world.ts';

const HIGHEST = 4;
const params = z
  .strictObject({
    moves: z.int().min(1).max(4).default(2).describe('Most moves of a turn.'),
    turns: z.int().min(4).max(16).default(10).describe('Most turns of an answer.'),
    walls: z.number().min(0).max(0.3).default(0.15).describe('Share of the fields that are walls.'),
    ...workedFields(HIGHEST, 2, 1),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);

/**
 * The grid as text: `@` is the player without the key, `&` with it; `k` is the key, `d` the door, `#` a
 * wall; rows are separated by `/`.
 */
const VIEW = /^[.#kd@&]{3,6}(?:\/[.#kd@&]{3,6}){2,5}$/;
const steps = { u: [-1, 0], d: [1, 0], l: [0, -1], r: [0, 1] } as const;
type Move = keyof typeof steps;
const moves = Object.keys(steps) as Move[];

interface State {
  readonly rows: readonly string[];
  readonly at: readonly [number, number];
  readonly hasKey: boolean;
  readonly isOut: boolean;
}

/** Parses a view; null if it is invalid. */
const stateOf = (view: string): State | null => {
  const rows = VIEW.test(view) ? view.split('/') : [];
  const count = (letter: string) => view.split(letter).length - 1;
  if (
    rows.length === 0 ||
    rows.some((row) => row.length !== rows.length) ||
    count('@') !== 1 ||
    count('&') !== 0 ||
    count('k') !== 1 ||
    count('d') !== 1
  )
    return null;
  const r = rows.findIndex((row) => row.includes('@'));
  return {
    rows: rows.map((row) => row.replace('@', '.')),
    at: [r, rows[r].indexOf('@')],
    hasKey: false,
    isOut: false,
  };
};

/** The state after a move; a wall, the edge of the grid, or the door without the key block it. */
const moved = (state: State, move: Move): State => {
  const { rows, at, hasKey } = state;
  const [r, c] = [at[0] + steps[move][0], at[1] + steps[move][1]];
  const field = rows[r]?.[c];
  if (state.isOut || field === undefined || field === '#' || (field === 'd' && !hasKey)) return state;
  return {
    rows: field === 'k' ? rows.map((row) => row.replace('k', '.')) : rows,
    at: [r, c],
    hasKey: hasKey || field === 'k',
    isOut: field === 'd',
  };
};

const viewOf = ({ rows, at: [r, c], hasKey }: State): string =>
  rows.map((row, i) => (i === r ? row.slice(0, c) + (hasKey ? '&' : '@') + row.slice(c + 1) : row)).join('/');

/** Fewest moves to the key and then the door, breadth first; null if there is no way. */
const shortest = (from: State): Move[] | null => {
  const seen = new Set([`${from.at.join()} ${from.hasKey}`]);
  for (let front: [State, Move[]][] = [[from, []]]; front.length > 0;) {
    const next: [State, Move[]][] = [];
    for (const [state, path] of front) {
      for (const move of moves) {
        const to = moved(state, move);
        const key = `${to.at.join()} ${to.hasKey}`;
        if (to.isOut) return [...path, move];
        if (seen.has(key)) continue;
        seen.add(key);
        next.push([to, [...path, move]]);
      }
    }
    front = next;
  }
  return null;
};

const drawView = (size: number, walls: number, draw: RandomStream): string => {
  const fields: string[] = Array.from({ length: size * size }, () => (draw.next() < walls ? '#' : '.'));
  for (const letter of '@kd') {
    let at = draw.int(fields.length);
    while ('@kd'.includes(fields[at])) at = draw.int(fields.length);
    fields[at] = letter;
  }
  return Array.from({ length: size }, (_, r) => fields.slice(r * size, (r + 1) * size).join('')).join('/');
};

/**
 * Fetch the key and go to the door, in turns: `@.k/.#./..d?` → `rr⟦..&/.#./..d⟧dd`. A turn is a few of the
 * moves u d l r; the world replies with the new view. Level L has L + 2 rows.
 */
export const grid = defineWorld({
  id: 'grid',
  title: 'Key and door',
  summary: 'A grid in text, played in turns: fetch the key, then go to the door, within the limit of turns.',
  params,
  build: (p) => {
    const size = hardest(p) + 2;
    const turn = new RegExp(`^[udlr]{1,${p.moves}}$`);
    const after = (prompt: string, turns: readonly string[]): State | null => {
      const begun = prompt.endsWith('?') ? stateOf(prompt.slice(0, -1)) : null;
      return begun && turns.every((each) => turn.test(each))
        ? [...turns.join('')].reduce((state, move) => moved(state, move as Move), begun)
        : null;
    };
    const game: Turns = {
      limit: p.turns,
      next: (prompt, turns): TurnOutcome => {
        const state = after(prompt, turns);
        return state === null || state.isOut || turns.length >= p.turns
          ? { done: true }
          : { reply: viewOf(state) };
      },
    };
    const inTurns = (path: readonly Move[]): string[] =>
      Array.from({ length: Math.ceil(path.length / p.moves) }, (_, i) =>
        path.slice(i * p.moves, (i + 1) * p.moves).join(''),
      );
    const maxTokens = p.turns * (p.moves + 1) + (p.turns - 1) * (size * (size + 1) + 1);
    return {
      alphabet: `.#kd@&/?ulr${REPLY_BEGINS}${REPLY_ENDS}`,
      maxPromptTokens: size * (size + 1),
      maxTokens,
      heldout: p.heldout,
      levels: levelsOf(p),
      turns: game,
      problem: (level, draw) => {
        for (;;) {
          const prompt = `${drawView(level + 2, p.walls, draw)}?`;
          const begun = stateOf(prompt.slice(0, -1));
          const path = begun && shortest(begun);
          const count = path ? inTurns(path).length : 0;
          // at least two turns, and one to spare
          if (path && count > 1 && count < p.turns)
            return { prompt, reference: path.join(''), meta: { moves: path.length } };
        }
      },
      verify: (prompt, completion) => {
        if (after(prompt, []) === null) return NOT_A_PROBLEM;
        if (completion.length > 2 * maxTokens) return wrong('too long');
        const turns = replayed(game, prompt, completion);
        const state = turns && after(prompt, turns);
        if (!state) return wrong('not a game of this world');
        const verdict = state.isOut
          ? right([])
          : wrong(state.hasKey ? 'the door was not reached' : 'the key was not fetched');
        return { ...verdict, turns: progressOf((to) => after(prompt, turns.slice(0, to)), turns.length) };
      },
      demonstration: ({ prompt, reference }, draw) => {
        const idle = bump(prompt);
        const drawn = kindOf(p, draw);
        const kind = drawn === 'rambling' && idle === undefined ? 'right' : drawn;
        const path = inTurns([...reference] as Move[]);
        const back: { readonly [M in Move]: Move } = { u: 'd', d: 'u', l: 'r', r: 'l' };
        // an answer that turns round at the end has not arrived
        const script =
          kind === 'wrong'
            ? [...path.slice(0, -1), back[reference[reference.length - 1] as Move]]
            : kind === 'rambling'
              ? [idle ?? '', ...path]
              : path;
        return { answer: played(game, prompt, (replies) => script[replies.length] ?? null), kind };
      },
    };
  },
});

/** Half for the turn that fetches the key, half for the one that reaches the door. */
const progressOf = (stateAfter: (turns: number) => State | null, count: number): readonly number[] => {
  const reached = Array.from({ length: count + 1 }, (_, to) => {
    const state = stateAfter(to);
    return (Number(state?.hasKey) + Number(state?.isOut)) / 2;
  });
  return reached.slice(1).map((now, at) => now - reached[at]);
};

/** A move without effect at the start, if there is one. */
const bump = (prompt: string): Move | undefined => {
  const begun = stateOf(prompt.slice(0, -1));
  return moves.find((move) => begun && moved(begun, move) === begun);
};
