/**
 * Expressions of `+`, `-`, `*`, optionally `/`, and parentheses: print, parse, and reduce one operation at a
 * time.
 */

export type Operator = '+' | '-' | '*';
type AnyOperator = Operator | '/';
/** `O`: the allowed operators. */
export interface Operation<O extends AnyOperator = Operator> {
  readonly op: O;
  readonly left: Expression<O>;
  readonly right: Expression<O>;
}
export type Expression<O extends AnyOperator = Operator> = number | Operation<O>;

/** One worked step: the operation as text, and its value. */
export interface Reduction {
  readonly text: string;
  readonly value: number;
  readonly rest: Expression;
}

const binding = { '+': 1, '-': 1, '*': 2, '/': 2 } as const satisfies Record<AnyOperator, number>;
const withoutDivision: readonly Operator[] = ['+', '-', '*'];

export const apply = (op: Operator, a: number, b: number): number => {
  const value = op === '+' ? a + b : op === '-' ? a - b : a * b;
  return value === 0 ? 0 : value; // never -0
};

export const evaluate = (e: Expression): number =>
  typeof e === 'number' ? e : apply(e.op, evaluate(e.left), evaluate(e.right));

/** Every intermediate value, the last one included; numbers of the expression itself are not. */
export const intermediates = (e: Expression): number[] =>
  typeof e === 'number' ? [] : [...intermediates(e.left), ...intermediates(e.right), evaluate(e)];

/** Prints with the necessary parentheses only. */
export const print = <O extends AnyOperator>(e: Expression<O>): string => {
  if (typeof e === 'number') return String(e);
  const side = (child: Expression<O>, tight: boolean): string => {
    const loose =
      typeof child !== 'number' &&
      (binding[child.op] < binding[e.op] || (tight && binding[child.op] === binding[e.op]));
    return loose ? `(${print(child)})` : print(child);
  };
  return `${side(e.left, false)}${e.op}${side(e.right, true)}`;
};

/** Operations ready to be done (both operands are numbers), from left to right. */
export const reducible = (e: Expression): Operation[] => {
  if (typeof e === 'number') return [];
  if (typeof e.left === 'number' && typeof e.right === 'number') return [e];
  return [...reducible(e.left), ...reducible(e.right)];
};

/** The expression with one of its operations (by identity) replaced by a number. */
export const replace = (e: Expression, node: Operation, value: number): Expression => {
  if (e === node) return value;
  if (typeof e === 'number') return e;
  return { op: e.op, left: replace(e.left, node, value), right: replace(e.right, node, value) };
};

export const textOf = (node: Operation): string => `${print(node.left)}${node.op}${print(node.right)}`;

/** Parses digits, operators and parentheses, by precedence; null for anything else. */
export const parse = <O extends AnyOperator = Operator>(
  text: string,
  operators: readonly O[] = withoutDivision as readonly O[],
): Expression<O> | null => {
  if (text.length === 0 || text.length > 200) return null;
  let at = 0;
  const fail = new Error('not an expression');
  const atom = (): Expression<O> => {
    if (text[at] === '(') {
      at++;
      const inner = chain(1);
      if (text[at++] !== ')') throw fail;
      return inner;
    }
    const start = at;
    while (at < text.length && text[at] >= '0' && text[at] <= '9') at++;
    if (at === start || at - start > 6 || (at - start > 1 && text[start] === '0')) throw fail;
    return Number(text.slice(start, at));
  };
  const chain = (lowest: number): Expression<O> => {
    let left = atom();
    while (at < text.length) {
      const op = operators.find((known) => known === text[at]);
      if (op === undefined || binding[op] < lowest) break;
      at++;
      left = { op, left, right: chain(binding[op] + 1) };
    }
    return left;
  };
  try {
    const whole = chain(1);
    return at === text.length ? whole : null;
  } catch (thrown) {
    if (thrown === fail) return null;
    throw thrown;
  }
};
