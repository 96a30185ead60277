import * as z from 'zod';
import { theSandbox } from '../../sandbox/index.ts';
import { BadReference, defineMatch, lastBlock } from './match.ts';

const params = z.strictObject({
  seconds: z.number().min(0.05).max(30).default(1).describe('Longest time of one answer’s tests.'),
});

/**
 * Code run in the sandbox: the answer and its tests as one script, so that the tests see the answer's
 * declarations. The tests get their own `assert`, and their call is the script's last statement, which an
 * answer can neither skip nor, since it must be a complete program by itself, hide in an open comment.
 * Values are compared structurally with functions saved before the answer ran, and an answer that changes
 * built-ins the tests may rely on (a method of arrays, say) is wrong; it may add to them.
 */
const harness = `(answer, tests, word) => {
  const run = eval, { isArray } = Array, { apply } = Reflect, { stringify } = JSON;
  const { getOwnPropertyNames: names, getOwnPropertyDescriptor: own, getPrototypeOf: kindOf } = Object;
  const core = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Math', 'JSON', 'Map', 'Set', 'RegExp', 'Function', 'Error', 'Reflect'];
  const builtIn = core.map((name) => globalThis[name]), list = core.join();
  const before = core.flatMap((name) => {
    const it = globalThis[name];
    return [[globalThis, name], ...[it, it.prototype].filter(Boolean).flatMap((each) => names(each).map((key) => [each, key]))];
  }).map(([each, key]) => [each, key, own(each, key)]);
  const same = (a, b) => a === b || (a !== a && b !== b);
  const untouched = () => {
    for (let at = 0; at < before.length; at++) {
      const then = before[at][2], now = own(before[at][0], before[at][1]);
      if (now === undefined || !same(now.value, then.value) || now.get !== then.get) return false;
    }
    return true;
  };
  let reached = false, asserted = 0;
  const assert = (holds, message) => {
    asserted++;
    if (!untouched()) throw new Error('what the tests lean on has been changed');
    if (!holds) throw new Error(message === undefined ? 'an assertion does not hold' : String(message));
  };
  const inner = new Map([[Map.prototype, Map.prototype.forEach], [Set.prototype, Set.prototype.forEach]]), { get } = Map.prototype;
  const parts = (it) => {
    const read = apply(get, inner, [kindOf(it)]), found = [];
    if (read === undefined) return it;
    apply(read, it, [(each, key) => { found[found.length] = [key, each]; }]);
    return found;
  };
  const equal = (a, b, depth = 0) => {
    if (same(a, b)) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > 100) return false;
    if (apply(get, inner, [kindOf(a)]) !== apply(get, inner, [kindOf(b)])) return false;
    const mine = parts(a), other = parts(b), keys = names(other);
    if (isArray(mine) !== isArray(other) || names(mine).length !== keys.length) return false;
    for (let at = 0; at < keys.length; at++) {
      const one = own(mine, keys[at]), two = own(other, keys[at]);
      if (one === undefined || one.get !== two.get || !equal(one.value, two.value, depth + 1)) return false;
    }
    return true;
  };
  const text = (value) => { try { return stringify(value); } catch { return 'something'; } };
  assert.equal = (a, b, message) => assert(equal(a, b), message === undefined ? 'expected ' + text(b) + ', got ' + text(a) : message);
  Object.freeze(assert);
  Object.defineProperty(globalThis, word, { value: (seen, test) => {
    for (let at = 0; at < core.length; at++) if (seen[at] !== builtIn[at]) return;
    test(assert);
    reached = untouched();
  } });
  run('(() => {' + answer + '\\n})');
  run(answer + '\\n;' + word + '([' + list + '], (assert) => {\\n' + tests + '\\n});');
  return reached && asserted > 0;
}`;

/** A word that answers cannot guess: it depends on the tests, which the model does not see. */
const wordOf = (tests: string): string => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < tests.length; i++) hash = Math.imul(hash ^ tests.charCodeAt(i), 0x01000193) >>> 0;
  return `reached_${hash.toString(36)}_${tests.length}`;
};

/** JavaScript that passes each problem's tests, in the sandbox. */
export const unitTest = defineMatch({
  id: 'match/unit-test',
  title: 'Unit tests',
  summary:
    'Right where the answer (its last fenced block, else all of it) is JavaScript that passes the ' +
    'reference’s tests: calls of assert(…) and assert.equal(…, …). Runs in the sandbox.',
  params,
  reads: (reference) => {
    if (!/\bassert\b/.test(reference))
      throw new BadReference('has no test: it must call assert(…) or assert.equal(…, …)');
    return reference;
  },
  judge: async (rows, { seconds }) => {
    const tasks = rows.map(({ expected, row }) => ({
      code: harness,
      args: [lastBlock(row.completion), expected, wordOf(expected)],
    }));
    const outcomes = await theSandbox().runJs(tasks, { timeMs: seconds * 1000 });
    return outcomes.map((outcome) => outcome.ok && outcome.value === true);
  },
});
