import {
  apply,
  evaluate,
  parse,
  reducible,
  replace,
  textOf,
  type Expression,
  type Operator,
} from './expression.ts';
import { answerOf, NOT_A_PROBLEM, right, wrong } from './worked.ts';
import type { StepVerdict, WorldVerdict } from './world.ts';

const STEP = /^((-?\d{1,6})([-+*])(-?\d{1,6}))=(-?\d{1,6})$/;

/**
 * Checks `#19` exactly: one answer line, the last, without leading zeros or blanks. Worked lines do not
 * change the verdict; each is judged separately in `steps`. Text longer than `longest` characters is wrong
 * without being read.
 */
export const arithmeticVerifier =
  (longest: number) =>
  (prompt: string, completion: string): WorldVerdict => {
    const expression = prompt.endsWith('=?') ? parse(prompt.slice(0, -2)) : null;
    if (expression === null) return NOT_A_PROBLEM;
    const given = answerOf(completion, longest);
    if ('correct' in given) return given;
    const { lines, answer } = given;
    const steps = judgeSteps(expression, lines);
    if (answer !== String(evaluate(expression)))
      return wrong(/^(0|-?[1-9]\d*)$/.test(answer) ? 'wrong answer' : 'malformed answer', steps);
    return right(steps);
  };

/**
 * A step follows if it does an operation that the expression, with all earlier results substituted (wrong
 * ones too), allows. So a single slip gives one step that does not hold, and later steps that hold and
 * follow.
 */
const judgeSteps = (expression: Expression, lines: readonly string[]): StepVerdict[] => {
  let rest = expression;
  return lines.map((line) => {
    const match = STEP.exec(line);
    if (!match) return { line, holds: false, follows: false };
    const [, done, a, op, b, claimed] = match;
    const node = reducible(rest).find((candidate) => textOf(candidate) === done);
    if (node) rest = replace(rest, node, Number(claimed));
    return {
      line,
      holds: String(apply(op as Operator, Number(a), Number(b))) === claimed,
      follows: node !== undefined,
    };
  });
};
