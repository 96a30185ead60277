import { z } from 'zod';
import { theSandbox } from '../../sandbox/index.ts';
import { BadReference, defineMatch, lastBlock } from './match.ts';

const params = z.strictObject({
  seconds: z.number().min(0.05).max(30).default(1).describe('Longest time of one answer’s tests.'),
});

/**
 * Runs inside: the answer and its tests as one script, so that the tests see what the answer declares. The tests get their own `assert`, and their call is
 * the script's last statement, which an answer can neither skip nor, since it must be a whole program by itself, hide in an open comment.
 */
const harness = `(answer, tests, word) => {
  const run = eval, { stringify } = JSON;
  let reached = false, asserted = 0;
  const assert = (holds, said) => { asserted++; if (!holds) throw new Error(said === undefined ? 'an assertion does not hold' : String(said)); };
  const equal = (a, b) => a === b || (typeof a === 'object' && typeof b === 'object' && stringify(a) === stringify(b));
  assert.equal = (a, b, said) => assert(equal(a, b), said === undefined ? 'expected ' + stringify(b) + ', got ' + stringify(a) : said);
  Object.freeze(assert);
  Object.defineProperty(globalThis, word, { value: (test) => { test(assert); reached = true; } });
  run('(() => {' + answer + '\\n})');
  run(answer + '\\n;' + word + '((assert) => {\\n' + tests + '\\n});');
  return reached && asserted > 0;
}`;

/** A word that no answer can know: it depends on the tests, which the model does not see. */
const wordOf = (tests: string): string => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < tests.length; i++) hash = Math.imul(hash ^ tests.charCodeAt(i), 0x01000193) >>> 0;
  return `reached_${hash.toString(36)}_${tests.length}`;
};

/** JavaScript that passes each problem's tests, in the sandbox. */
export const unitTest = defineMatch({
  id: 'match/unit-test',
  title: 'Unit tests',
  summary: 'Right where the answer (its last fenced block, else all of it) is JavaScript that passes the reference’s tests: calls of assert(…) and assert.equal(…, …). Runs in the sandbox.',
  params,
  reads: (reference) => {
    if (!/\bassert\b/.test(reference)) throw new BadReference('has no test: it must call assert(…) or assert.equal(…, …)');
    return reference;
  },
  judge: async (rows, { seconds }) => {
    const tasks = rows.map(({ expected, row }) => ({ code: harness, args: [lastBlock(row.completion), expected, wordOf(expected)] }));
    const outcomes = await theSandbox().runJs(tasks, { timeMs: seconds * 1000 });
    return outcomes.map((outcome) => outcome.ok && outcome.value === true);
  },
});
