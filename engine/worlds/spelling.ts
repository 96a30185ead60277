import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import {
  answerOf,
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  withRedundantLines,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld, type StepVerdict, type WorldVerdict } from './world.ts';

const HIGHEST = 7;
const kinds = ['count', 'reverse', 'letters'] as const;
type Kind = (typeof kinds)[number];
const params = z
  .strictObject({
    task: z
      .enum(['mixed', ...kinds])
      .default('mixed')
      .describe(
        'Task: letter counts of a word, the word reversed, three letters by position, or each of ' +
          'these a third of the time.',
      ),
    repeats: z
      .number()
      .min(0)
      .max(0.9)
      .default(0.35)
      .describe('How often a letter of a word repeats an earlier one.'),
    ...workedFields(HIGHEST, 3, 2),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);

/**
 * Process a made-up word letter by letter: `count abba?` → `a1`, `b1`, `b2`, `a2`, `#a2b2`; `reverse abc?` →
 * `a`, `ba`, `cba`, `#cba`; `letters 3 1 2 of abc?` → `1a`, `2b`, `3c`, `#cab`. Level L has words of 2·L + 2
 * letters.
 */
export const spelling = defineWorld({
  id: 'spelling',
  title: 'Spelling and counting',
  summary: 'Letters of made-up words counted, reversed, or found by position; levels grow by two letters.',
  params,
  build: (p) => {
    const sizes = sizesOf(lengthOf(hardest(p)));
    return {
      alphabet: `${alphabet} 0123456789?#\n`,
      ...sizes,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        const kind = p.task === 'mixed' ? draw.pick(kinds) : p.task;
        const word = drawWord(lengthOf(level), p.repeats, draw);
        const task: Task = { kind, word, places: kind === 'letters' ? drawPlaces(word.length, draw) : [] };
        return {
          prompt: promptOf(task),
          reference: answerTo(task),
          meta: { task: kind, length: word.length },
        };
      },
      verify: spellingVerifier(4 * sizes.maxTokens),
      demonstration: ({ prompt }, draw) => {
        const task = parse(prompt) as Task; // a prompt written by this world
        const kind = kindOf(p, draw);
        if (kind === 'wrong') return { answer: wrongAnswer(task, draw).join('\n'), kind };
        const lines = worked(task);
        return {
          answer: (kind === 'right'
            ? lines
            : withRedundantLines(lines, (line) => [line], sizes.maxTokens - 1, draw)
          ).join('\n'),
          kind,
        };
      },
    };
  },
});

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const vowels = 'aeiou';
const consonants = [...alphabet].filter((letter) => !vowels.includes(letter)).join('');
const lengthOf = (level: number): number => 2 * level + 2;
/** The longest answers reverse a word, one letter more per line. Redundant lines get the room of two. */
const sizesOf = (n: number) => ({
  maxPromptTokens: 'letters 10 10 10 of ?'.length + n,
  maxTokens: (n * (n + 3)) / 2 + 2 * n + n + 2,
});

/** Alternating vowels and consonants, except for repeated letters. */
const drawWord = (length: number, repeats: number, draw: RandomStream): string => {
  let word = '';
  const first = draw.int(2);
  while (word.length < length) {
    const fresh = (word.length + first) % 2 === 0 ? vowels : consonants;
    const from = word !== '' && draw.next() < repeats ? word : fresh;
    word += from[draw.int(from.length)];
  }
  return word;
};
const drawPlaces = (length: number, draw: RandomStream): number[] => {
  const left = Array.from({ length }, (_, i) => i + 1);
  return [1, 2, 3].map(() => left.splice(draw.int(left.length), 1)[0]);
};

/** `places`: positions of the requested letters, from 1; empty for the other kinds. */
interface Task {
  readonly kind: Kind;
  readonly word: string;
  readonly places: readonly number[];
}
const promptOf = ({ kind, word, places }: Task): string =>
  kind === 'letters' ? `letters ${places.join(' ')} of ${word}?` : `${kind} ${word}?`;

const parse = (prompt: string): Task | null => {
  const [, kind, numbers, word] =
    /^(?:(count|reverse)|letters ([1-9]\d?(?: [1-9]\d?){2}) of) ([a-z]{3,16})\?$/.exec(prompt) ?? [];
  if (word === undefined) return null;
  const places = numbers === undefined ? [] : numbers.split(' ').map(Number);
  return places.every((place) => place <= word.length)
    ? { kind: (kind as Kind | undefined) ?? 'letters', word, places }
    : null;
};

const timesIn = (word: string, letter: string): number => word.split(letter).length - 1;
const answerTo = ({ kind, word, places }: Task): string => {
  switch (kind) {
    case 'count':
      return [...new Set(word)]
        .sort()
        .map((letter) => `${letter}${timesIn(word, letter)}`)
        .join('');
    case 'reverse':
      return [...word].reverse().join('');
    case 'letters':
      return places.map((place) => word[place - 1]).join('');
  }
};

/**
 * One line per letter: its running count, the reversed text so far, or its position (up to the largest
 * requested one).
 */
const linesOf = ({ kind, word, places }: Task): string[] => {
  const read = [...word].slice(0, kind === 'letters' ? Math.max(...places) : word.length);
  return read.map((letter, i) => {
    switch (kind) {
      case 'count':
        return `${letter}${timesIn(word.slice(0, i + 1), letter)}`;
      case 'reverse':
        return [...word.slice(0, i + 1)].reverse().join('');
      case 'letters':
        return `${i + 1}${letter}`;
    }
  });
};
const worked = (task: Task): string[] => [...linesOf(task), `#${answerTo(task)}`];

/**
 * The word misread: one letter replaced, two neighbours swapped, or one left out; worked correctly from
 * there.
 */
const wrongAnswer = (task: Task, draw: RandomStream): string[] => {
  const { word, places } = task;
  for (;;) {
    const at = draw.int(word.length);
    const misread = [
      word.slice(0, at) + draw.pick([...alphabet]) + word.slice(at + 1),
      word.slice(0, at) + (word[at + 1] ?? '') + word[at] + word.slice(at + 2),
      word.slice(0, at) + word.slice(at + 1),
    ][draw.int(3)];
    const read = { ...task, word: misread, places: places.map((place) => Math.min(place, misread.length)) };
    if (answerTo(read) !== answerTo(task)) return worked(read);
  }
};

/** Checks the answer after `#` exactly: counts in alphabetical order, without spaces. */
const spellingVerifier =
  (longest: number) =>
  (prompt: string, completion: string): WorldVerdict => {
    const task = parse(prompt);
    if (!task) return NOT_A_PROBLEM;
    const given = answerOf(completion, longest);
    if ('correct' in given) return given;
    const steps = judgeSteps(task, given.lines);
    if (given.answer === answerTo(task)) return right(steps);
    return wrong(shapes[task.kind].test(given.answer) ? 'wrong answer' : 'malformed answer', steps);
  };
const shapes: { readonly [K in Kind]: RegExp } = {
  count: /^(?:[a-z][1-9]\d?)+$/,
  reverse: /^[a-z]+$/,
  letters: /^[a-z]{3}$/,
};

/**
 * A line holds if the word really has it at this position; it follows if it continues the line before, true
 * or not.
 */
const judgeSteps = (task: Task, lines: readonly string[]): StepVerdict[] => {
  const truth = linesOf({ ...task, places: [task.word.length] });
  const counts = new Map<string, number>();
  let at = 0;
  let before = '';
  return lines.map((line) => {
    const [, letter = '', digits = ''] = /^([a-z])(\d{1,2})$/.exec(line) ?? [];
    const follows =
      at < truth.length &&
      {
        count: () => Number(digits) === (counts.get(letter) ?? 0) + 1,
        reverse: () => line.length === before.length + 1 && line.endsWith(before) && /^[a-z]+$/.test(line),
        letters: () => new RegExp(`^${at + 1}[a-z]$`).test(line),
      }[task.kind]();
    const holds = follows ? line === truth[at] : truth.includes(line);
    if (follows) {
      [at, before] = [at + 1, line];
      counts.set(letter, Number(digits));
    }
    return { line, holds, follows };
  });
};
