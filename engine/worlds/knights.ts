import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import {
  answerOf,
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  right,
  sharesFit,
  withRedundantLines,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld, type StepVerdict, type WorldVerdict } from './world.ts';

const HIGHEST = 3;
const NAMES = 'ABCDEFGHIJ';
const signs = ['+', '-'] as const;
const params = z
  .strictObject(workedFields(HIGHEST, 2, 1))
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);

/**
 * Who is a knight (+), whose statements are true, and who a knave (−), whose statements are false? `B:D- D:B=D?` →
 * `B+D+ B`, `B+D- ok`, `#B+D-`: each line tries an assignment and names the first person whose statement it
 * contradicts, as a teacher reasons by cases (K&K: Xie et al. 2024, arXiv:2410.23123). Level L has L + 1 people, and
 * exactly one assignment fits.
 */
export const knights = defineWorld({
  id: 'knights',
  title: 'Knights and knaves',
  summary:
    'Find out who lies from what people say of each other: each case is tried in a line, and one fits. Levels grow by ' +
    'one person.',
  params,
  build: (p) => {
    const most = hardest(p) + 1;
    const maxTokens = 2 ** most * (2 * most + 4) + 5 * (2 * most + 4) + 2 * most + 2;
    return {
      alphabet: `${NAMES}+-=&|: ?ok#\n`,
      maxPromptTokens: most * 8,
      maxTokens,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        for (;;) {
          const prompt = drawPrompt(level + 1, draw);
          const puzzle = parse(prompt);
          const solutions = puzzle ? casesOf(puzzle.names).filter((each) => !contradicted(puzzle, each)) : [];
          if (solutions.length === 1) return { prompt, reference: solutions[0], meta: { people: level + 1 } };
        }
      },
      verify: knightsVerifier(4 * maxTokens),
      demonstration: ({ prompt, reference }, draw) => {
        const puzzle = parse(prompt) as Puzzle; // a prompt written by this world
        const kind = kindOf(p, draw);
        if (kind === 'wrong') return { answer: wrongCases(puzzle, reference, draw).join('\n'), kind };
        const lines = workedCases(puzzle, reference);
        return {
          answer: (kind === 'right'
            ? lines
            : withRedundantLines(lines, (line) => [line], maxTokens - 1, draw)
          ).join('\n'),
          kind,
        };
      },
    };
  },
});

type Truth = ReadonlyMap<string, boolean>;
interface Puzzle {
  readonly names: readonly string[];
  readonly says: readonly { readonly name: string; readonly statement: string }[];
}

const literal = (names: readonly string[], draw: RandomStream): string => draw.pick(names) + draw.pick(signs);

/** A claim about one person; that two are alike; or two claims joined by and (&) or or (|). */
const drawStatement = (speaker: string, names: readonly string[], draw: RandomStream): string => {
  const others = names.filter((name) => name !== speaker);
  const kind = draw.int(4);
  if (kind === 0) return literal(others, draw);
  const first = draw.pick(names);
  const second = draw.pick(names.filter((name) => name !== first));
  if (kind === 1) return `${first}=${second}`;
  return first + draw.pick(signs) + draw.pick(['&', '|']) + second + draw.pick(signs);
};

const drawPrompt = (people: number, draw: RandomStream): string => {
  const left = [...NAMES];
  const names = Array.from({ length: people }, () => left.splice(draw.int(left.length), 1)[0]).sort();
  return `${names.map((name) => `${name}:${drawStatement(name, names, draw)}`).join(' ')}?`;
};

const SAID = /^([A-J]):([A-J][+-]|[A-J]=[A-J]|[A-J][+-][&|][A-J][+-])$/;
const parse = (prompt: string): Puzzle | null => {
  if (!prompt.endsWith('?') || prompt.length > 80) return null;
  const says = prompt
    .slice(0, -1)
    .split(' ')
    .map((text) => {
      const [, name = '', statement = ''] = SAID.exec(text) ?? [];
      return { name, statement };
    });
  const names = says.map(({ name }) => name);
  const isKnown = says.every(
    ({ name, statement }) =>
      name !== '' && [...statement.matchAll(/[A-J]/g)].every(([n]) => names.includes(n)),
  );
  const isOrdered = names.every((name, at) => at === 0 || names[at - 1] < name);
  return isKnown && isOrdered && names.length > 1 && names.length <= HIGHEST + 1 ? { names, says } : null;
};

/** Every assignment, all knights first: `B+D+`, `B+D-`, `B-D+`, `B-D-`. */
const casesOf = (names: readonly string[]): string[] =>
  Array.from({ length: 2 ** names.length }, (_none, bits) =>
    names.map((name, at) => name + ((bits >> (names.length - 1 - at)) & 1 ? '-' : '+')).join(''),
  );

const truthOf = (assignment: string): Truth =>
  new Map([...assignment.matchAll(/([A-J])([+-])/g)].map(([, name, sign]) => [name, sign === '+']));

const isTrue = (statement: string, truth: Truth): boolean => {
  if (statement[1] === '=') return truth.get(statement[0]) === truth.get(statement[2]);
  const holds = (claim: string): boolean => truth.get(claim[0]) === (claim[1] === '+');
  const [one, other] = [holds(statement.slice(0, 2)), statement.length > 2 && holds(statement.slice(3))];
  if (statement.length === 2) return one;
  return statement[2] === '&' ? one && other : one || other;
};

/** True if this person's statement does not fit what the person is. */
const isContradicted = ({ name, statement }: Puzzle['says'][number], truth: Truth): boolean =>
  isTrue(statement, truth) !== truth.get(name);

/** The first person whose statement an assignment contradicts; undefined if all fit. */
const contradicted = ({ says }: Puzzle, assignment: string): string | undefined => {
  const truth = truthOf(assignment);
  return says.find((said) => isContradicted(said, truth))?.name;
};

/** One line a case up to the one that fits, and the answer. */
const workedCases = (puzzle: Puzzle, solution: string): string[] => {
  const cases = casesOf(puzzle.names);
  return [
    ...cases
      .slice(0, cases.indexOf(solution) + 1)
      .map((assignment) => `${assignment} ${contradicted(puzzle, assignment) ?? 'ok'}`),
    `#${solution}`,
  ];
};

/** The same with a slip: another case passes for the one that fits, which is dismissed if it came before. */
const wrongCases = (puzzle: Puzzle, solution: string, draw: RandomStream): string[] => {
  const cases = casesOf(puzzle.names);
  const claimed = draw.pick(cases.filter((each) => each !== solution));
  return [
    ...cases
      .slice(0, cases.indexOf(claimed))
      .map((each) => `${each} ${contradicted(puzzle, each) ?? draw.pick(puzzle.names)}`),
    `${claimed} ok`,
    `#${claimed}`,
  ];
};

/** Checks `#B+D-`: every person once, in the order of the prompt, and no statement contradicted. */
const knightsVerifier =
  (longest: number) =>
  (prompt: string, completion: string): WorldVerdict => {
    const puzzle = parse(prompt);
    if (!puzzle) return NOT_A_PROBLEM;
    const given = answerOf(completion, longest);
    if ('correct' in given) return given;
    const cases = casesOf(puzzle.names);
    const steps = judgeSteps(puzzle, given.lines);
    if (!cases.includes(given.answer)) return wrong('not everyone, each once and in order', steps);
    const liar = contradicted(puzzle, given.answer);
    return liar === undefined ? right(steps) : wrong(`contradicts what ${liar} says`, steps);
  };

/** A case holds if its verdict is true of it, and follows if it was not tried before. */
const judgeSteps = (puzzle: Puzzle, lines: readonly string[]): StepVerdict[] => {
  const cases = new Set(casesOf(puzzle.names));
  const tried = new Set<string>();
  return lines.map((line) => {
    const [assignment, verdict, ...more] = line.split(' ');
    if (!cases.has(assignment) || more.length > 0) return { line, holds: false, follows: false };
    const follows = !tried.has(assignment);
    tried.add(assignment);
    const truth = truthOf(assignment);
    const said = puzzle.says.find(({ name }) => name === verdict);
    const holds =
      verdict === 'ok'
        ? contradicted(puzzle, assignment) === undefined
        : said !== undefined && isContradicted(said, truth);
    return { line, holds, follows };
  });
};
