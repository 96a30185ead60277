import { describe, expect, test } from 'vitest';
import { claims } from '../../bench/claims/index.ts';
import { judge } from '../../bench/methods.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { methods, sanityResults } from '../../../engine/index.ts';
import { methods as methodList } from '../../../engine/rl/methods/index.ts';
import { sanityFacts, sanityHash } from '../../../engine/rl/tools/sanity-record.ts';

describe('the verdict on a claim from five seeds', () => {
  const baseline = [1, 2, 3, 4, 5];
  const above = baseline.map((value, at) => value + 0.5 + at / 10);
  const mixed = [2, 1, 4, 3, 5.1];
  test('holds when the whole interval of the paired difference lies on the claimed side', () => {
    expect(judge(above, baseline, 'higher')).toMatchObject({ verdict: 'holds', difference: { mean: 0.7 } });
    expect(judge(above, baseline, 'lower').verdict).toBe('opposite');
    expect(judge(baseline, above, 'lower').verdict).toBe('holds');
  });
  test('is unclear when seeds disagree', () =>
    expect(judge(mixed, baseline, 'higher').verdict).toBe('unclear'));
});

test('claims have unique ids and name their metric', () => {
  expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
  for (const { cites, measure } of claims)
    expect([cites, measure]).toEqual([
      expect.stringMatching(/^arXiv:\d{4}\.\d{5}$/),
      expect.stringMatching(/\w{5}/),
    ]);
});

describe('both sides of each claim run', () => {
  test.each(claims)('$id', { timeout: 120_000 }, async ({ of }) => {
    const numbers = await of({ device: await openDevice({ id: 'cpu', threads: 1 }), most: 2 }, 1);
    for (const number of [numbers.method, numbers.baseline]) expect(Number.isFinite(number)).toBe(true);
  });
});

test('the list of methods has a passing toy run for each, and discards its stored result when the run changes', () => {
  expect(Object.keys(sanityResults)).toEqual(methods.map(({ id }) => id));
  for (const method of methodList) {
    const { id, sanity } = method;
    if (!sanity) {
      expect(sanityResults[id]).toBeNull();
      continue;
    }
    const record = { of: sanityHash(sanity), values: [1, 1, 1], seconds: 1, ok: true };
    expect(sanityFacts(method, { [id]: record })?.result).toEqual({
      values: [1, 1, 1],
      seconds: 1,
      ok: true,
    });
    expect(
      sanityFacts({ ...method, sanity: { ...sanity, metric: 'another' } }, { [id]: record })?.result,
    ).toBeNull();
  }
});
