import { WhetstoneError } from '../../common/errors.ts';
import type { OperatorSpec } from '../../schema/plan.ts';
import { agree } from './agree.ts';
import { correct } from './correct.ts';
import { consistent } from './consistent.ts';
import { cut } from './cut.ts';
import { distinct } from './distinct.ts';
import { filter } from './filter.ts';
import { first } from './first.ts';
import { hint } from './hint.ts';
import { informative } from './informative.ts';
import { majority } from './majority.ts';
import { mutate } from './mutate.ts';
import type { Operator, PlanRow } from './operator.ts';
import { pair } from './pair.ts';
import { relabel } from './relabel.ts';

export { ownColumns } from './operator.ts';

/** Every operator, in the order of lists. */
export const operators: readonly Operator[] = [
  filter,
  correct,
  first,
  distinct,
  relabel,
  majority,
  agree,
  pair,
  consistent,
  informative,
  cut,
  mutate,
  hint,
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
): void =>
  specs.forEach(({ id, params }, at) => {
    try {
      act(operatorOf(id), params);
    } catch (error) {
      const { kind, message, hint, where: field } = WhetstoneError.from(error);
      const path = [where, 'operators', at, field].filter((part) => part !== undefined && part !== '');
      throw new WhetstoneError(kind, message, { where: path.join('.'), hint, cause: error });
    }
  });

/**
 * The rows that operators make of answers, in their order. Throws `invalid-input` with the place of an operator
 * that reads a column in which no answer has a value.
 */
export function operate(
  answers: readonly PlanRow[],
  specs: readonly OperatorSpec[],
  where: string,
): readonly PlanRow[] {
  let rows = answers;
  eachOperator(specs, where, (operator, params) => {
    for (const column of operator.needs(params))
      if (rows.length > 0 && rows.every((row) => !hasValue(row, column)))
        throw new WhetstoneError('invalid-input', `No answer has a value in the column '${column}'.`, {
          where: 'params',
          hint: `Columns with values: ${Object.keys(rows[0].extra ?? {}).join(', ') || 'none'}.`,
        });
    rows = operator.apply(rows, params);
  });
  return rows;
}

const hasValue = (row: PlanRow, column: string): boolean => {
  if (column === 'length') return true;
  if (column === 'correct') return row.correct !== null;
  if (column === 'reference') return row.reference !== null;
  return row.extra?.[column] !== undefined;
};
