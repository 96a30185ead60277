import type { Draws, Wordings } from '../../common/wordings.ts';
import { evaluate, parse, print, type Expression, type Operation } from '../expression.ts';

/** Ways in which an expression can be written longer and keep its value. */
export const changes = ['parentheses', 'zero', 'negation'] as const;

const read = (prompt: string): Expression | null =>
  prompt.endsWith('=?') ? parse(prompt.slice(0, -2)) : null;

/** An expression and all of its parts; numbers are where they are, so that equal ones stay apart. */
interface Place {
  readonly part: Expression;
  /** The whole expression with this part replaced. */
  put(other: Expression): Expression;
}
const placesIn = (part: Expression, put: Place['put'] = (other) => other): readonly Place[] =>
  typeof part === 'number'
    ? [{ part, put }]
    : [
        { part, put },
        ...placesIn(part.left, (left) => put({ ...part, left })),
        ...placesIn(part.right, (right) => put({ ...part, right })),
      ];
const operationsIn = (whole: Expression): readonly Operation[] =>
  placesIn(whole).flatMap(({ part }) => (typeof part === 'number' ? [] : [part]));

/** 0 − x. */
const isOpposite = (part: Expression): part is Operation =>
  typeof part !== 'number' && part.op === '-' && part.left === 0;
const opposite = (right: Expression): Operation => ({ op: '-', left: 0, right });

/** `a+b` as `a-(0-b)`, `a-b` as `a+(0-b)`; a product as the opposite of its opposite. */
function negated(whole: Expression, draw: Draws): Expression {
  const sums = operationsIn(whole).filter(({ op }) => op !== '*');
  if (sums.length === 0) return opposite(opposite(whole));
  const sum = draw.pick(sums);
  return placesIn(whole)
    .find(({ part }) => part === sum)
    ?.put({ op: sum.op === '+' ? '-' : '+', left: sum.left, right: opposite(sum.right) }) as Expression;
}

/** A part `x` as `x+0`, `0+x` or `x-0`. */
function withZero(whole: Expression, draw: Draws): Expression {
  const places = placesIn(whole).filter(({ part: one }) => one !== 0 && !isOpposite(one));
  // nothing but zeros and their opposites: the whole is such a part
  const { part, put } =
    places.length > 0 ? draw.pick(places) : { part: whole, put: (other: Expression) => other };
  return put(
    draw.pick<Operation>([
      { op: '+', left: part, right: 0 },
      { op: '+', left: 0, right: part },
      { op: '-', left: part, right: 0 },
    ]),
  );
}

/** Replaces a part while the rest is printed: no operand is as large. */
const MARK = 987_654;

/** Prints with a pair of parentheses that is not needed: around a number, if around nothing else. */
function bracketed(whole: Expression, draw: Draws): string {
  const plain = print(whole);
  const all = placesIn(whole).map(({ part, put }) =>
    print(put(MARK)).replace(String(MARK), `(${print(part)})`),
  );
  return draw.pick(all.filter((text) => text !== plain));
}

const isZero = ({ op, left, right }: Operation): boolean =>
  op !== '*' && (right === 0 || (op === '+' && left === 0));
const isNegation = ({ op, right }: Operation): boolean => op !== '*' && isOpposite(right);

/**
 * `7+4*3=?` as `7+(4*3)=?`, `0+7+4*3=?` or `7-(0-4*3)=?`, in signs that the world has, so that a policy of
 * characters reads them. `worked` writes the lines of an answer.
 */
export const arithmeticWordings = (worked: (expression: Expression) => readonly string[]): Wordings => ({
  kinds: changes,
  say: (prompt, kinds, draw) => {
    const plain = read(prompt);
    if (plain === null) return null;
    // zeros last: the opposite of 0 would hide one
    const turned = kinds.includes('negation') ? negated(plain, draw) : plain;
    const longer = kinds.includes('zero') ? withZero(turned, draw) : turned;
    return `${kinds.includes('parentheses') ? bracketed(longer, draw) : print(longer)}=?`;
  },
  kindsOf: (prompt) => {
    const said = read(prompt);
    if (said === null) return [];
    const parts = operationsIn(said);
    const found = {
      parentheses: `${print(said)}=?` !== prompt,
      zero: parts.some(isZero),
      negation: parts.some(isNegation),
    };
    return changes.filter((change) => found[change]);
  },
  answer: (prompt) => {
    const said = read(prompt);
    return said === null ? null : String(evaluate(said));
  },
  worked: (prompt) => {
    const said = read(prompt);
    return said === null ? null : worked(said).join('\n');
  },
});
