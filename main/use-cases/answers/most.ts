import { WhetstoneError } from '../../../engine/common/errors.ts';

/** Most answers that go through operators, which see all of them at once. */
export const MOST_ANSWERS = 500_000;

export const tooMany = (): WhetstoneError =>
  new WhetstoneError('invalid-input', `There are more than ${MOST_ANSWERS} answers for operators.`, {
    where: 'from',
    hint: 'Choose those of one purpose, or by a query.',
  });
