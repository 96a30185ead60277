import { judgedBy, type Problem, type World } from '../../engine/worlds/index.ts';
import { played } from '../../engine/worlds/turns.ts';

/** Number of frequent answers of a level tried as a constant answer. */
const CONSTANTS = 6;
export interface Guess {
  readonly level: number;
  readonly guess: string;
  readonly share: number;
}

/** Held-out problems of each level of the world. */
const byLevel = (world: World, each: number): ReadonlyMap<number, readonly Problem[]> => {
  const levels = new Map<number, Problem[]>();
  for (let i = 0; [...levels.values()].some((some) => some.length < each) || i < 20; i++) {
    const problem = world.problem('heldout', i, 0);
    const some = levels.get(problem.level) ?? [];
    if (some.length < each) some.push(problem);
    levels.set(problem.level, some);
  }
  return new Map([...levels].sort(([a], [b]) => a - b));
};

/** Start of a right answer: the mark of an answer line, or the word before it. */
const markOf = (world: World, { prompt, reference }: Problem): string => {
  const mark = ['#', 'answer ', ''].find((begin) => world.verify(prompt, begin + reference).correct);
  if (mark === undefined) throw new Error(`The reference of ${world.id} is no answer: ${reference}`);
  return mark;
};

/** Trivial answers to a prompt, given other problems of its level. */
const copies: { readonly [guess: string]: (prompt: string) => string } = {
  'the last word': (prompt) => wordsOf(prompt).at(-1) ?? '',
  'the last number or name': (prompt) => pieces(prompt).at(-1) ?? '',
  'the first number or name': (prompt) => pieces(prompt)[0] ?? '',
  'the second number or name': (prompt) => pieces(prompt)[1] ?? '',
  'all but the first word': (prompt) => wordsOf(prompt).slice(1).join(' '),
};
const wordsOf = (prompt: string): string[] => prompt.slice(0, -1).split(' ');
const pieces = (prompt: string): string[] => prompt.match(/[a-z0-9]+/g) ?? [];

/**
 * Accuracy of guessing by level: a constant answer (the best of the most frequent ones), the answer to
 * another problem (a random answer of the right form), and pieces of the prompt.
 */
export const guessed = async (world: World, each: number): Promise<readonly Guess[]> => {
  const found: Guess[] = [];
  for (const [level, problems] of byLevel(world, each)) {
    const mark = markOf(world, problems[0]);
    const add = async (guess: string, answer: (problem: Problem, at: number) => string): Promise<void> => {
      const verdicts = await judgedBy(
        world,
        problems.map((problem, at) => ({ prompt: problem.prompt, completion: mark + answer(problem, at) })),
      );
      found.push({ level, guess, share: verdicts.filter(({ correct }) => correct).length / problems.length });
    };
    const counts = new Map<string, number>();
    for (const { reference } of problems) counts.set(reference, (counts.get(reference) ?? 0) + 1);
    for (const [answer] of [...counts].sort(([, a], [, b]) => b - a).slice(0, CONSTANTS))
      await add(`always ${answer}`, () => answer);
    await add('the answer to another problem', (_, at) => problems[(at * 7 + 3) % problems.length].reference);
    for (const [guess, answer] of Object.entries(copies)) await add(guess, ({ prompt }) => answer(prompt));
  }
  return found;
};

/**
 * Success rate of a fixed walk by level: into a corner and then along all rows, down and up again, in turns
 * of two moves.
 */
export const walked = (world: World, each: number): readonly Guess[] =>
  [...byLevel(world, each)].map(([level, problems]) => {
    const n = level + 2;
    const row = (at: number): string => (at % 2 === 0 ? 'r' : 'l').repeat(n - 1);
    const down = Array.from({ length: n }, (_, at) => row(at)).join('d');
    const back = Array.from({ length: n }, (_, at) => row(n + at)).join('u');
    const script = ('u'.repeat(n - 1) + 'l'.repeat(n - 1) + down + back).match(/.{1,2}/g) ?? [];
    const right = problems.filter(
      ({ prompt }) =>
        world.turns &&
        world.verify(
          prompt,
          played(world.turns, prompt, (replies) => script[replies.length] ?? null),
        ).correct,
    );
    return { level, guess: 'a walk over all fields', share: right.length / problems.length };
  });
