import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenServices } from '../../main/headless/open.ts';
import { groupName } from '../../main/use-cases/comparing/groups.ts';
import type { Conclusion } from '../../preload/contract/compare.ts';
import { conclusionText, verdictOf } from '../../preload/wire/conclusions.ts';
import { cli } from '../support/cli.ts';
import { comparedRuns, plantRuns, SAMPLES } from '../support/compared-runs.ts';
import { servicesIn } from '../support/workspace.ts';

const home = mkdtempSync(join(tmpdir(), 'whetstone-comparing-'));
let bench: OpenServices;
let ids: string[];
beforeAll(async () => {
  bench = await servicesIn(home);
  ids = await plantRuns(bench.services.store, comparedRuns);
});
afterAll(async () => {
  await bench.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const conclude = (runIds: string[], own: { baseline?: string; folded?: boolean } = {}) =>
  bench.api.compare.conclude({ runIds, baseline: own.baseline ?? null, folded: own.folded ?? false });
/** pass@1 of a planted run over problems, from its definition. */
const rateOf = (run: number, from: number, to: number): number => {
  let right = 0;
  for (let problem = from; problem < to; problem += 1)
    for (let sample = 0; sample < SAMPLES; sample += 1)
      right += Number(comparedRuns[run].right(problem, sample));
  return right / ((to - from) * SAMPLES);
};
const differenceOf = ({ differences }: Conclusion, key: string, measure = 'pass@1') =>
  differences.find((each) => each.key === key && each.measure === measure);

describe('the comparison of runs', () => {
  it('takes differences to the baseline over the problems that both answered', async () => {
    const found = await conclude(ids);
    expect(found.baseline).toBe(ids[0]);
    expect(found.measures.map(({ title }) => title)).toEqual(['pass@1', 'answer length']);
    const better = differenceOf(found, ids[1]);
    expect(better?.difference).toBeCloseTo(rateOf(1, 0, 200) - rateOf(0, 0, 200), 12);
    expect(better).toMatchObject({ problems: 200, of: [200, 200], verdict: 'higher' });
    expect(better?.sentence).toMatch(
      /^better seed 0 is better than base by \.\d+ \[\.\d+, \.\d+\] on 200 common problems \(p < \.0001, Holm over 3\)\.$/,
    );
    const elsewhere = differenceOf(found, ids[3]);
    expect(elsewhere).toMatchObject({ difference: 0, problems: 50, of: [150, 200], verdict: 'unclear' });
    expect(elsewhere?.sentence).toContain('on 50 common problems (of 150 and 200), equal on each of them.');
    expect(found.leftOut).toEqual([
      { runId: ids[4], name: 'unevaluated', reason: 'has no evaluation of a policy' },
    ]);
  });

  it('follows the chosen baseline, with the opposite sign', async () => {
    const there = differenceOf(await conclude(ids.slice(0, 2)), ids[1]);
    const back = differenceOf(await conclude(ids.slice(0, 2), { baseline: ids[1] }), ids[0]);
    expect(back?.difference).toBeCloseTo(-(there?.difference ?? 0), 12);
    expect(back).toMatchObject({ verdict: 'lower', baseline: 'better seed 0' });
    expect(back?.sentence).toContain('base is worse than better seed 0 by .');
  });

  it('counts a problem as often as it was drawn, in every number', async () => {
    const draws = (problem: number) => (problem < 10 ? 3 : 1);
    const planted = (name: string, right: (problem: number) => boolean) => ({
      name,
      problems: [0, 40] as const,
      draws,
      right,
    });
    const [first, second] = await plantRuns(bench.services.store, [
      planted('first', (problem) => problem < 20),
      planted('second', (problem) => problem >= 30),
    ]);
    const found = await conclude([first, second], { baseline: second });
    expect(differenceOf(found, first)?.difference).toBeCloseTo(40 / 60 - 10 / 60, 12);
    const [own, other] = found.aggregates;
    expect([own.values.mean, other.values.mean]).toEqual([40 / 60, 10 / 60]);
    // 15 of 60 draws are cut from each end
    expect(own.values).toMatchObject({
      iqm: 25 / 30,
      median: 1,
      optimalityGap: expect.closeTo(20 / 60, 12) as number,
    });
    // better on 40 draws, equal on 10
    expect(own.improvement?.value).toBeCloseTo(45 / 60, 12);
  });

  it('folds runs that differ in their seed alone, and widens the interval by their variance', async () => {
    const found = await conclude(ids.slice(0, 3), { folded: true });
    expect(found.groups.map(({ name, runIds }) => [name, runIds.length])).toEqual([
      ['base', 1],
      ['better', 2],
    ]);
    const [first, second] = [rateOf(1, 0, 200), rateOf(2, 0, 200)];
    const { overSeeds } = found.groups[1];
    expect(overSeeds?.mean).toBeCloseTo((first + second) / 2, 12);
    // Student's t with one degree of freedom: 12.706 · |a − b| / 2
    expect((overSeeds?.interval?.[1] ?? 0) - (overSeeds?.mean ?? 0)).toBeCloseTo(
      (12.706204736432095 * Math.abs(first - second)) / 2,
      9,
    );
    expect(found.groups[0].overSeeds).toMatchObject({ n: 1, interval: null });
    expect(differenceOf(found, ids[1])?.sentence).toContain('means over 2 and 1 seeds');
    const [base, better] = found.aggregates;
    expect(base).toMatchObject({ runs: 1, intervals: null, improvement: null });
    expect(better.values.mean + better.values.optimalityGap).toBeCloseTo(1, 12);
    expect(better.improvement?.value).toBeGreaterThan(0.6);
  });

  it('counts the wins of every pair, and opens the problems behind them', async () => {
    const { wins } = await conclude(ids.slice(0, 3));
    expect(wins).toHaveLength(6);
    const win = wins.find(({ a, b }) => a === ids[1] && b === ids[0]);
    const lost = wins.find(({ a, b }) => a === ids[0] && b === ids[1]);
    expect(win?.better).toBe(lost?.worse);
    const problems = (kind: 'only' | 'better' | 'equal' | 'worse') =>
      bench.api.compare.problems({
        runIds: ids.slice(0, 3),
        folded: false,
        pair: { a: ids[1], b: ids[0], kind },
        differing: false,
        threshold: 0.5,
        offset: 0,
        limit: 10,
      });
    const better = await problems('better');
    expect(better.total).toBe(win?.better);
    expect(better.problems[0].prompt).toMatch(/^copy the letters number \d+$/);
    expect(better.problems).toHaveLength(10);
    const only = await problems('only');
    const { both, onlyA, onlyB, neither } = only.flips ?? { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
    expect(onlyA).toBe(only.total);
    expect(both + onlyA + onlyB + neither).toBe(200);
    for (const { rates } of only.problems) expect((rates[1] ?? 0) >= 0.5 && (rates[0] ?? 1) < 0.5).toBe(true);
    expect(only.flips?.p).toBeLessThan(0.001);
  });

  it('of one run, of a reward model or of none with an evaluation has nothing to say', async () => {
    expect(await conclude([ids[4]])).toMatchObject({ baseline: null, groups: [], differences: [], wins: [] });
    expect(await conclude([ids[0]])).toMatchObject({ baseline: ids[0], differences: [], wins: [] });
    expect(await conclude([ids[0], ids[0]]), 'a run twice is one').toMatchObject({ differences: [] });
  });

  it('gives the same numbers in the report and on the command line', async () => {
    const found = await conclude(ids.slice(0, 4), { folded: true });
    const path = join(home, 'report.html');
    await bench.api.compare.report({
      runIds: ids.slice(0, 4),
      title: 'x',
      path,
      baseline: null,
      folded: true,
    });
    const html = readFileSync(path, 'utf8');
    const { sentence } = found.differences[0];
    expect(html).toContain(sentence.replace('<', '&lt;'));
    await bench.close();
    const at = ['--workspace', join(home, 'workspace')];
    const answer = await cli('compare', 'base', ids[1], ids[2], ids[3], '--fold', ...at, '--json');
    expect(answer.value).toEqual(JSON.parse(JSON.stringify(found)));
    const text = await cli('compare', 'base', 'elsewhere', '--baseline', 'elsewhere', ...at);
    expect(text.out).toContain('base and elsewhere cannot be told apart');
    const refused = await cli('compare', 'base', 'nothing', ...at, '--json');
    expect(refused).toMatchObject({ code: 1, value: { error: { kind: 'not-found', where: 'nothing' } } });
    bench = await servicesIn(home);
  });
});

describe('the sentence of a comparison', () => {
  const judged = {
    name: 'GRPO',
    baseline: 'base',
    title: 'pass@1',
    unit: 'rate',
    difference: 0.24,
    interval: [0.21, 0.27],
    adjusted: 1e-9,
    family: 1,
    problems: 1000,
    of: [1000, 1000],
    needed: 400,
    seeds: [1, 1],
  } as const;

  it('names the difference, or the problems that are missing', () => {
    expect(conclusionText(judged)).toBe(
      'GRPO is better than base by .240 [.210, .270] on 1,000 common problems (p < .0001).',
    );
    expect(conclusionText({ ...judged, difference: 0.01, interval: [-0.02, 0.04], needed: 4906 })).toBe(
      'GRPO and base cannot be told apart: +.010 [−.020, +.040] on 1,000 common problems; ' +
        '3,906 more problems would be needed to see .02.',
    );
    expect(conclusionText({ ...judged, difference: -0.24, interval: [-0.27, -0.21] })).toContain(
      'is worse than base by .240 [.210, .270]',
    );
  });

  it('needs both the corrected p-value and the interval', () => {
    expect(verdictOf({ ...judged, adjusted: 0.06 })).toBe('unclear');
    expect(verdictOf({ ...judged, interval: [-0.01, 0.5] })).toBe('unclear');
    expect(verdictOf({ ...judged, interval: null })).toBe('unclear');
    expect(verdictOf(judged)).toBe('higher');
  });
});

it('a group of seeds is named by what its runs have in common', () => {
  const named = (...names: string[]) => groupName(names.map((name) => ({ name, method: 'grpo' })));
  expect(named('dr-grpo seed 0', 'dr-grpo seed 1')).toBe('dr-grpo');
  expect(named('run-10', 'run-11')).toBe('run');
  expect(named('a', 'b')).toBe('grpo');
  expect(named('only one 3')).toBe('only one 3');
});
