/**
 * Every measured effect: its figures are those of the table in tests/bench/README.md, row by row, and its words
 * those of the experiment in tests/bench/ten.
 */
import { describe, expect, it, test } from 'vitest';
import { systemEffects, systemFacts, systems } from '../../engine/index.ts';
import { experimentId } from '../../engine/systems/effects.ts';
import { figuresOf } from '../../engine/systems/kernel/effect.ts';
import { ten } from '../bench/ten/index.ts';
import { measuredTables, tablesOf } from '../support/measured-tables.ts';

const tables = measuredTables();
const ids = ten.map(({ id }) => id);
const measured = systemEffects.map(experimentId);
const experimentOf = (id: string) => ten.find((each) => each.id === id);
/** Words of the experiment, which may begin in the middle of a sentence. */
const begun = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

describe('the ten systems', () => {
  it('have one table for each experiment that is measured, and its claims in engine/systems/effects', () => {
    const inTables = tables.map(({ system }) => system);
    expect(new Set(inTables).size).toBe(inTables.length);
    expect(measured.toSorted()).toEqual(inTables.toSorted());
    expect(ids).toEqual(expect.arrayContaining(measured));
  });
  it('have effects if their row of the Atlas says that they work', () => {
    const working = systems.filter(({ id, state }) => ids.includes(id) && state.status === 'works');
    expect(working.map(({ id }) => id).filter((id) => !measured.includes(id))).toEqual([]);
  });
});

describe('each of the ten', () => {
  it('has a plan that its page in the Atlas opens', () => {
    const leading = systemFacts.filter(({ measured: own }) => own.length > 0);
    expect(leading.filter(({ plan }) => plan === null).map(({ id }) => id)).toEqual([]);
  });
});

describe.each(tables.map((table) => [table.system, table] as const))('the effects of %s', (id, { rows }) => {
  const own = systemEffects.find((each) => experimentId(each) === id);
  const claims = own?.claims ?? [];
  it('have the figures and verdicts of the table, row by row', () => {
    expect(rows.length).toBeGreaterThan(3);
    expect(claims.map(({ figures, holds }) => ({ figures, holds }))).toEqual(
      rows.map(({ figures, holds }) => ({ figures, holds })),
    );
  });
  it('are the claims of the experiment in their order, in its words and with its measure', () => {
    const wordsOf = (each: { claim: string; measure: string; better: string }) =>
      [begun(each.claim), each.measure, each.better].join(' | ');
    expect(claims.map(wordsOf)).toEqual(experimentOf(id)?.claims.map(wordsOf));
  });
  it('hold where the whole interval is on the claimed side, and say so where it is on the other', () => {
    for (const { claim, interval, better, holds } of claims) {
      const [low, high] = better === 'higher' ? interval : [-interval[1], -interval[0]];
      // a bound that is printed as .000 is on either side
      const possible = [low >= 0 && 'yes', low <= 0 && high >= 0 && 'no', high <= 0 && 'opposite'];
      expect(possible, claim).toContain(holds);
    }
  });
  it('are facts of the system, with a command that repeats them', () => {
    const facts = systemFacts.find((each) => each.id === own?.system);
    expect(facts?.measured).toContainEqual({
      setting: own?.experiment?.setting ?? null,
      seeds: 5,
      budget: own?.budget,
      command: `npm run bench -- ten --only ${id} --json`,
      claims,
    });
    expect(own?.budget).toMatch(/\d/);
    for (const { baseline } of claims) expect(baseline.length).toBeGreaterThan(2);
  });
});

test('systems without a measurement have none among their facts', () => {
  const named = new Set(systemEffects.map(({ system }) => system));
  const having = systemFacts.filter((facts) => facts.measured.length > 0);
  expect(having.map(({ id }) => id).toSorted()).toEqual([...named].toSorted());
});

describe('figures', () => {
  it('are a difference and its interval, with a sign or without', () => {
    expect(figuresOf('−46 [−78, −14]')).toEqual({ effect: -46, interval: [-78, -14] });
    expect(figuresOf('+.0004 [−.0004, .0015]')).toEqual({ effect: 0.0004, interval: [-0.0004, 0.0015] });
    expect(figuresOf('+1.2 [.2, 2.6]')).toEqual({ effect: 1.2, interval: [0.2, 2.6] });
  });
  it.each(['', '.3', '+.3 [.1]', '.3 [.4, .5]', '-.3 [-.4, -.2]', '+.3 [., .5]', '+.3 [.1, .5] x'])(
    'are not %j',
    (figures) => expect(() => figuresOf(figures)).toThrow('is no difference with its interval'),
  );
});

describe('the tables', () => {
  const head = '| claim of X | means | difference, 95 % interval | holds |\n| --- | --- | --- | --- |';
  it('are read under their command, with all rows', () => {
    const text = `    npm run bench -- ten --only x --json\n\n${head}\n| a | 1 / 2 | −1 [−2, 0] | no |\n\n- a remark`;
    expect(tablesOf(text)).toEqual([
      { system: 'x', rows: [{ words: 'a', figures: '−1 [−2, 0]', holds: 'no' }] },
    ]);
  });
  it('are refused without a command, and with other columns', () => {
    expect(() => tablesOf(head)).toThrow("No command stands above the table 'claim of X'.");
    const command = '    npm run bench -- ten --only x --json\n';
    expect(() => tablesOf(command + head.replace('holds', 'seeds'))).toThrow('The columns of');
  });
});
