import { expect, test } from 'vitest';
import { variants } from '../../engine/rl/kernel/check.ts';
import { stubOf } from '../../engine/rl/tasks/kinds/index.ts';
import { objective, type Objective } from '../../engine/rl/kernel/objective.ts';
import { methods } from '../../engine/rl/methods/index.ts';
import { neg } from '../../engine/tensor/index.ts';
import { readOracle } from '../support/objective-oracle.ts';
import { oracleCases, solvedCase } from '../support/oracle-cases.ts';

/**
 * What the other contract tests cannot see: a loss that is wrong in the same way wherever it is computed.
 * Each objective of each method stands in a file of numbers that something else has made.
 */

/** What an objective computes, without its numbers: `clippedSurrogate(#, #, token)`. */
const kindsOf = ({ id, terms, fit }: Objective): string[] =>
  (fit ? [id] : terms.map((term) => term.id)).map((one) => one.replace(/(?<![\w.])\d[\d.e+-]*/g, '#'));

const compared = new Set([
  ...Object.entries(oracleCases).flatMap(([file, cases]) => {
    const { cases: numbers } = readOracle(file);
    return Object.entries<Objective>(cases)
      .filter(([name]) => name in numbers)
      .flatMap(([, one]) => kindsOf(one));
  }),
  ...kindsOf(solvedCase({ folds: 5 })),
]);
const withoutNumbers = (one: Objective): string[] => kindsOf(one).filter((kind) => !compared.has(kind));

/**
 * Every objective of a method: with its defaults, its presets, and every value of every choice; of every
 * role.
 */
const objectivesOf = (method: (typeof methods)[number]): Objective[] =>
  variants(method)
    .flatMap((params) => Object.values(method.recipe(params, stubOf(method)).roles))
    .flatMap((role) => (role.objective ? [role.objective] : []));

test.each(methods.map((method) => [method.id, method] as const))(
  'each objective of %s has numbers from elsewhere (a script in tests/support/oracles, a line in oracle-cases.ts)',
  (_, method) => {
    expect([...new Set(objectivesOf(method).flatMap(withoutNumbers))]).toEqual([]);
  },
);

test('an objective that stands in no file is found, and so is another average of one that does', () => {
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
