import { apply, evaluate, parse, reducible, replace, textOf, type Expression, type Operator } from './expression.ts';
import type { StepVerdict, WorldVerdict } from './world.ts';

const STEP = /^((-?\d{1,6})([-+*])(-?\d{1,6}))=(-?\d{1,6})$/;
const wrong = (reason: string, steps?: readonly StepVerdict[]): WorldVerdict => ({ correct: false, reward: 0, reason, ...(steps && { steps }) });

/**
 * Judges `#19` exactly: one answer line, the last, without leading zeros or blanks. Worked lines do not change the verdict; each is judged
 * on its own in `steps`. Text longer than `longest` characters is wrong unread.
 */
export const arithmeticVerifier = (longest: number) => (prompt: string, completion: string): WorldVerdict => {
  const expression = prompt.endsWith('=?') ? parse(prompt.slice(0, -2)) : null;
  if (expression === null) return wrong('not a problem of this world');
  if (completion.length > longest) return wrong('too long');
  const lines = completion.split('\n');
  const answer = lines.pop() ?? '';
  if (!answer.startsWith('#')) return wrong(completion.includes('#') ? 'text after the answer' : 'no answer line');
  if (lines.some((line) => line.includes('#'))) return wrong('more than one answer line');
  const steps = judgeSteps(expression, lines);
  if (answer !== `#${evaluate(expression)}`) return wrong(/^#(0|-?[1-9]\d*)$/.test(answer) ? 'wrong answer' : 'malformed answer', steps);
  return { correct: true, reward: 1, reason: 'right', steps };
};

/**
 * A step follows when it does an operation that the expression, with all earlier results put in (wrong ones too), has ready.
 * So a single slip gives one step that does not hold, and later steps that hold and follow.
 */
const judgeSteps = (expression: Expression, lines: readonly string[]): StepVerdict[] => {
  let rest = expression;
  return lines.map((line) => {
    const match = STEP.exec(line);
    if (!match) return { line, holds: false, follows: false };
    const [, done, a, op, b, claimed] = match;
    const node = reducible(rest).find((candidate) => textOf(candidate) === done);
    if (node) rest = replace(rest, node, Number(claimed));
    return { line, holds: String(apply(op as Operator, Number(a), Number(b))) === claimed, follows: node !== undefined };
  });
};
