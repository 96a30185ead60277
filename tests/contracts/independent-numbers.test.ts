import { expect, test } from 'vitest';
import { variants } from '../../engine/rl/kernel/check.ts';
import { stubOf } from '../../engine/rl/tasks/kinds/index.ts';
import { objective, type Objective } from '../../engine/rl/kernel/objective.ts';
import { methods } from '../../engine/rl/methods/index.ts';
import { neg } from '../../engine/tensor/index.ts';
import { readOracle } from '../support/objective-oracle.ts';
import { networkCases, oracleCases, solvedCase } from '../support/oracle-cases.ts';

/**
 * Guards against what the other contract tests cannot detect: a loss that is wrong in the same way
 * everywhere. A file of numbers from another implementation covers each objective of each method.
 */

/** The computation of an objective, without its numbers: `clippedSurrogate(#, #, token)`. */
const kindsOf = ({ id, terms, fit }: Objective): string[] =>
  (fit ? [id] : terms.map((term) => term.id)).map((one) => one.replace(/(?<![\w.])\d[\d.e+-]*/g, '#'));

const compared = new Set([
  ...Object.entries({ ...oracleCases, ...networkCases }).flatMap(([file, cases]) => {
    const { cases: numbers } = readOracle(file);
    return Object.entries<Objective>(cases)
      .filter(([name]) => name in numbers)
      .flatMap(([, one]) => kindsOf(one));
  }),
  ...kindsOf(solvedCase({ folds: 5 })),
]);
const withoutNumbers = (one: Objective): string[] => kindsOf(one).filter((kind) => !compared.has(kind));

/**
 * Every objective of a method, for each role: with its defaults, its presets, and every value of every
 * choice.
 */
const objectivesOf = (method: (typeof methods)[number]): Objective[] =>
  variants(method)
    .flatMap((params) => Object.values(method.recipe(params, stubOf(method)).roles))
    .flatMap((role) => (role.objective ? [role.objective] : []));

test.each(methods.map((method) => [method.id, method] as const))(
  'each objective of %s has independent numbers (a script in tests/support/oracles, a line in oracle-cases.ts)',
  (_, method) => {
    expect([...new Set(objectivesOf(method).flatMap(withoutNumbers))]).toEqual([]);
  },
);

test('finds an objective that no file covers, and a different average of a covered one', () => {
  const upsideDown = (id: string) =>
    objective({
      id,
      needs: ['tokens', 'mask'],
      prepare: () => ({}),
      loss: ({ tokens }, learner) => ({ loss: neg(learner.logp(tokens)) }),
    });
  expect(withoutNumbers(upsideDown('upsideDown(0.2)'))).toEqual(['upsideDown(#)']);
  expect(withoutNumbers(upsideDown('klToReference(k1, token)'))).toEqual(['klToReference(k1, token)']);
  expect(withoutNumbers(upsideDown('klToReference(k3, token)'))).toEqual([]);
});
