/**
 * A small language: a program is steps that change one whole number, from left to right.
 *
 *     +7  -7  *7        add, subtract, multiply by a digit
 *     ?e(A)(B) A where the number is even, else B; ?p: where it is positive; ?5: where it is more than 5
 *     r3(A)             A three times
 */

export type Condition = 'e' | 'p' | `${number}`;
export type Step =
  | { readonly kind: '+' | '-' | '*'; readonly digit: number }
  | { readonly kind: '?'; readonly condition: Condition; readonly then: Program; readonly otherwise: Program }
  | { readonly kind: 'r'; readonly times: number; readonly body: Program };
export type Program = readonly Step[];

export const PROGRAM_LETTERS = '0123456789+-*?epr()';
/** Maximum length of a program in characters, and of its execution in steps. */
const LONGEST = 200;
const MOST_STEPS = 500;
/** Numbers beyond this end a program. */
const LARGEST = 99_999;

const isCondition = (text: string | undefined): text is Condition =>
  text !== undefined && /^[ep0-9]$/.test(text);
const isDigit = (text: string | undefined): text is string => text !== undefined && /^[0-9]$/.test(text);

/** Parses a program; null for anything else. */
export const parseProgram = (text: string): Program | null => {
  if (text.length === 0 || text.length > LONGEST) return null;
  let at = 0;
  const block = (): Program | null => {
    if (text[at++] !== '(') return null;
    const inner = steps();
    return inner && text[at++] === ')' ? inner : null;
  };
  const step = (): Step | null => {
    const [kind, next] = [text[at], text[at + 1]];
    at += 2;
    if (kind === '+' || kind === '-' || kind === '*')
      return isDigit(next) ? { kind, digit: Number(next) } : null;
    if (kind === 'r') {
      const body = isDigit(next) ? block() : null;
      return body && { kind, times: Number(next), body };
    }
    const then = kind === '?' && isCondition(next) ? block() : null;
    const otherwise = then && block();
    return otherwise && { kind: '?', condition: next as Condition, then, otherwise };
  };
  const steps = (): Program | null => {
    const found: Step[] = [];
    while (at < text.length && text[at] !== ')') {
      const one = step();
      if (!one) return null;
      found.push(one);
    }
    return found;
  };
  const program = steps();
  return program && program.length > 0 && at === text.length ? program : null;
};

export const printProgram = (program: Program): string =>
  program
    .map((step) => {
      if (step.kind === '?')
        return `?${step.condition}(${printProgram(step.then)})(${printProgram(step.otherwise)})`;
      return step.kind === 'r' ? `r${step.times}(${printProgram(step.body)})` : `${step.kind}${step.digit}`;
    })
    .join('');

const holds = (condition: Condition, x: number): boolean =>
  condition === 'e' ? x % 2 === 0 : x > (condition === 'p' ? 0 : Number(condition));

/** The output of a program; null if it takes too many steps or a number grows too large. */
export const runProgram = (program: Program, input: number): number | null => {
  let x = input;
  let left = MOST_STEPS;
  const run = (steps: Program): boolean =>
    steps.every((step) => {
      if (--left < 0 || Math.abs(x) > LARGEST) return false;
      if (step.kind === '?') return run(holds(step.condition, x) ? step.then : step.otherwise);
      if (step.kind === 'r') return Array.from({ length: step.times }).every(() => run(step.body));
      x = step.kind === '+' ? x + step.digit : step.kind === '-' ? x - step.digit : x * step.digit;
      return true;
    });
  if (!run(program) || Math.abs(x) > LARGEST) return null;
  return x === 0 ? 0 : x; // never -0
};
