import { WhetstoneError } from '../../common/errors.ts';
import type { OperatorSpec } from '../../schema/plan.ts';
import { agree } from './agree.ts';
import { asPrompt } from './as-prompt.ts';
import { band } from './band.ts';
import { compose } from './compose.ts';
import { correct } from './correct.ts';
import { consistent } from './consistent.ts';
import { cut } from './cut.ts';
import { distinct } from './distinct.ts';
import { examples, plain } from './examples.ts';
import { filter } from './filter.ts';
import { first } from './first.ts';
import { hardest } from './hardest.ts';
import { hint } from './hint.ts';
import { informative } from './informative.ts';
import { lengthTokens } from './length-token.ts';
import { majority } from './majority.ts';
import { mutate } from './mutate.ts';
import { valueOf, type Operator, type PlanRow } from './operator.ts';
import { pair } from './pair.ts';
import { perturb } from './perturb.ts';
import { pairByRun } from './pair-by-run.ts';
import { relabel } from './relabel.ts';
import { rightAnswer } from './right-answer.ts';
import { retrospective } from './retrospective.ts';
import { show } from './show.ts';
import { uncertainPair } from './uncertain-pair.ts';
import { verdicts } from './verdicts.ts';

export { isFrom, ownColumns } from './operator.ts';

/** Every operator, in the order of lists. */
export const operators: readonly Operator[] = [
  filter,
  correct,
  first,
  distinct,
  relabel,
  rightAnswer,
  majority,
  agree,
  pair,
  pairByRun,
  consistent,
  uncertainPair,
  informative,
  band,
  hardest,
  retrospective,
  cut,
  mutate,
  compose,
  hint,
  perturb,
  asPrompt,
  show,
  examples,
  plain,
  lengthTokens,
  verdicts,
];

/** Throws `invalid-input` for an unknown operator. */
export function operatorOf(id: string): Operator {
  const found = operators.find((operator) => operator.id === id);
  if (found) return found;
  throw new WhetstoneError('invalid-input', `There is no operator '${id}'.`, {
    where: 'id',
    hint: `There are: ${operators.map((operator) => operator.id).join(', ')}.`,
  });
}

/** Does one thing for each operator; an error names its place: `operators.1.params.column`. */
export const eachOperator = (
  specs: readonly OperatorSpec[],
  where: string,
  act: (operator: Operator, params: unknown) => void,
): void => specs.forEach((_spec, at) => placed(specs, at, where, act));

/** True if some operator reads the right answers that the tasks of the runs tell. Throws as `eachOperator`. */
export function readReferences(specs: readonly OperatorSpec[]): boolean {
  let found = false;
  eachOperator(specs, '', (operator, params) => {
    found ||= operator.readsReferences(params);
  });
  return found;
}

function placed(
  specs: readonly OperatorSpec[],
  at: number,
  where: string,
  act: (operator: Operator, params: unknown) => void,
): void {
  const { id, params } = specs[at];
  try {
    act(operatorOf(id), params);
  } catch (error) {
    const { kind, message, hint, where: field } = WhetstoneError.from(error);
    const path = [where, 'operators', at, field].filter((part) => part !== undefined && part !== '');
    throw new WhetstoneError(kind, message, { where: path.join('.'), hint, cause: error });
  }
}

/**
 * The rows that are left after each operator, in their order. Throws `invalid-input` with the place of an
 * operator that reads a column in which no answer has a number.
 */
export function* operations(
  answers: readonly PlanRow[],
  specs: readonly OperatorSpec[],
  where: string,
): Generator<readonly PlanRow[]> {
  let rows = answers;
  for (const at of specs.keys()) {
    placed(specs, at, where, (operator, params) => {
      rows = applied(operator, params, rows);
    });
    yield rows;
  }
}

/** The rows that operators make of answers; see `operations`. */
export const operate = (
  answers: readonly PlanRow[],
  specs: readonly OperatorSpec[],
  where: string,
): readonly PlanRow[] => [...operations(answers, specs, where)].at(-1) ?? answers;

function applied(operator: Operator, params: unknown, rows: readonly PlanRow[]): readonly PlanRow[] {
  for (const column of operator.needs(params))
    if (rows.length > 0 && rows.every((row) => Number.isNaN(valueOf(row, column))))
      throw new WhetstoneError('invalid-input', `No answer has a number in the column '${column}'.`, {
        where: 'params',
        hint: `Columns with numbers: ${numbersOf(rows[0]).join(', ') || 'none'}.`,
      });
  return operator.apply(rows, params);
}

const numbersOf = (row: PlanRow): string[] =>
  ['length', 'correct', ...Object.keys(row.extra ?? {})].filter(
    (column) => !Number.isNaN(valueOf(row, column)),
  );
