import { describe, expect, it, test } from 'vitest';
import { checkSpec, examineRun, runRules, type StoredRun } from '../../engine/index.ts';
import type { RunFinding } from '../../engine/schema/run-finding.ts';
import { curve, evaluation, healthy, result } from '../support/healthy-runs.ts';
import { planted } from '../support/planted-runs.ts';

const rulesOf = (run: StoredRun): string[] => examineRun(run).map(({ rule }) => rule);

/** A copy of the run's specification with the settings of a remedy. */
const withChanges = (run: StoredRun, { changes }: RunFinding['remedies'][number]): unknown => {
  const spec = structuredClone(run.spec) as unknown as Record<string, unknown>;
  for (const { path, value } of changes) {
    const last = path[path.length - 1];
    const holder = path.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, spec);
    holder[last] = value;
  }
  return spec;
};

test('there are at least fifteen rules, each with a name of its own and a planted pathology', () => {
  const ids = runRules.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(15);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Object.keys(planted).sort()).toEqual([...ids].sort());
});

describe.each(runRules.map(({ id }) => id))('%s', (id) => {
  const { run, from, to } = planted[id];
  const finding = () => examineRun(run).find(({ rule }) => rule === id);

  it('finds its planted pathology, at the step where it begins', () => {
    const found = finding();
    expect(found).toBeDefined();
    expect(found?.step).toBeGreaterThanOrEqual(from);
    expect(found?.step).toBeLessThanOrEqual(to);
    expect(found?.lastStep).toBeGreaterThanOrEqual(found?.step ?? Infinity);
  });

  it('reads only the metrics that it names', () => {
    const patterns = runRules
      .find((rule) => rule.id === id)
      ?.reads.map((name) => new RegExp(`^(policy/)?${name.replaceAll('*', '.*')}$`));
    const curves = run.curves.filter(({ name }) => patterns?.some((pattern) => pattern.test(name)));
    // the newest step of all is known from any curve
    const last = run.curves.map(({ steps, values }) => ({ name: 'seconds/step', steps, values })).slice(0, 1);
    expect(examineRun({ ...run, curves: [...curves, ...last] }).find(({ rule }) => rule === id)).toEqual(
      finding(),
    );
  });

  it('says what it observed and expected', () => {
    const found = finding();
    expect(found?.text).toMatch(/^[“A-Z0-9a-z_/].*[.]$/s);
    for (const part of [found?.observed, found?.expected]) {
      expect(part?.name).not.toBe('');
      expect(part?.text).not.toBe('');
    }
    expect(found?.text).not.toMatch(/undefined|\bnull\b|Infinity/);
  });

  it('offers settings with which a copy of the run can start, and which differ from its own', () => {
    for (const remedy of finding()?.remedies ?? []) {
      const changed = checkSpec(withChanges(run, remedy));
      expect(JSON.stringify(changed), remedy.title).not.toBe(JSON.stringify(run.spec));
    }
  });

  it.each(Object.keys(healthy))('is silent on a healthy run: %s', (name) => {
    expect(rulesOf(healthy[name])).not.toContain(id);
  });

  it('is silent without the metrics, answers and evaluations that it reads', () => {
    expect(
      rulesOf({ ...run, curves: [], answers: [], results: [], start: null, trainingRows: null }),
    ).toEqual([]);
  });

  it('is silent on one point of each curve', () => {
    const curves = run.curves.map(({ name, steps, values }) => ({
      name,
      steps: steps.slice(0, 1),
      values: values.slice(0, 1),
    }));
    const only = { ...run, curves, answers: run.answers.slice(0, 1), results: [], trainingRows: null };
    expect(rulesOf(only)).toEqual([]);
  });

  it('takes no number for a finding where every point is NaN, save for what is not finite', () => {
    const curves = run.curves.map((each) => ({ ...each, values: each.values.map(() => Number.NaN) }));
    const found = rulesOf({ ...run, curves, answers: [], results: [], trainingRows: null });
    expect(found.filter((rule) => rule !== 'not-finite')).toEqual([]);
  });

  it('gives the same finding for the same run', () => expect(finding()).toEqual(finding()));
});

test('an evaluation that a later attempt repeated is read once, as that attempt measured it', () => {
  const { run } = planted['held-out-falls'];
  const [first, last] = run.results;
  const again = { ...last, attempt: 2, value: { ...(first.value as object), step: 100 } };
  expect(rulesOf({ ...run, results: [first, last, again] })).not.toContain('held-out-falls');
});

test('a spike is found in the range of a bucket whose last point is ordinary', () => {
  const base = curve('grad_norm', () => 0.4, { size: 0.1 });
  const high = base.values.map((value, at) => (at === 60 ? 90 : value));
  const { run } = planted['gradient-spikes'];
  const found = examineRun({ ...run, curves: [{ ...base, high }] });
  expect(found.map(({ rule, step }) => [rule, step])).toEqual([['gradient-spikes', 61]]);
});

test('severe findings come first', () => {
  const all = examineRun({
    ...planted['clip-share'].run,
    curves: [...planted['clip-share'].run.curves, curve('nll', (step) => (step > 90 ? Number.NaN : 1))],
  });
  expect(all.map(({ severity }) => severity)).toEqual(['severe', 'warning']);
});

test('a measure of the newest evaluation that is not finite is found without such a training metric', () => {
  const { run } = planted['held-out-falls'];
  const results = (gold: number) => [result('evaluation', 100, evaluation(100, 0.7, { gold }))];
  const found = examineRun({ ...run, results: results(Number.NaN) }).filter(
    ({ rule }) => rule === 'not-finite',
  );
  expect(found.map(({ step, text }) => [step, text.split('.')[0]])).toEqual([
    [100, 'gold was NaN in the evaluation at step 100'],
  ]);
  expect(rulesOf({ ...run, results: results(0.7) })).not.toContain('not-finite');
});

test('a match with a reference is a verifier, not a proxy that a policy can game', () => {
  const { run } = planted['proxy-over-gold'];
  const rewards = (id: string) => ({
    ...run,
    spec: { ...run.spec, rewards: [{ id, weight: 1, params: {} }] },
  });
  expect(rulesOf(rewards('length'))).toContain('proxy-over-gold');
  expect(rulesOf(rewards('match/numeric'))).not.toContain('proxy-over-gold');
});
