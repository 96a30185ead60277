import { render, screen, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import type { Run, RunDifference } from '../../preload/contract/runs.ts';
import Further from '../../renderer/features/runs/Further.svelte';
import Headline from '../../renderer/features/runs/Headline.svelte';
import RunList from '../../renderer/features/runs/RunList.svelte';
import { metricText } from '../../renderer/lib/format.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';
import { shownRun as run } from '../support/shown-run.ts';

const list = (...runs: Run[]) => {
  render(RunList, { runs, chosen: null, markOf: () => markOf(0) });
  return within(screen.getByRole('list', { name: 'Runs' }))
    .getAllByRole('link')
    .map((link) => (link.textContent ?? '').replaceAll(/\s+/g, ' '));
};

describe('a row of the list of runs', () => {
  it('carries pass@1, KL and duration, or the age of a run without a result', () => {
    const [measured, other] = list(run(), run({ id: 'other', outcome: null, createdAt: 0 }));
    expect(measured).toMatch(/pass@1 \.762.*KL \.504.*35 s/);
    expect(other).not.toMatch(/KL|35 s/);
    expect(other).toContain('Jan 1');
  });
  it('carries the accuracy of a reward model, which has no KL', () => {
    const outcome = {
      measure: 'accuracy',
      value: 0.671,
      interval: [0.63, 0.71],
      kl: null,
      step: 68,
    } as const;
    const [text] = list(run({ outcome: { ...outcome, interval: [0.63, 0.71] } }));
    expect(text).toMatch(/accuracy \.671/);
    expect(text).not.toContain('KL');
  });
  it('carries the return of a run in a control world, whole or of one episode', () => {
    const outcome = {
      measure: 'return',
      value: 488.6875,
      interval: [480, 497.375],
      kl: null,
      step: 9,
    } as const;
    const [text] = list(run({ outcome: { ...outcome, interval: [480, 497.375] } }));
    expect(text).toMatch(/return 488\.7/);
    const headline = (own: Run['outcome']) => {
      const { container } = render(Headline, { run: run({ outcome: own }), difference: null });
      return container.textContent?.replaceAll(/\s+/g, ' ');
    };
    expect(headline({ ...outcome, interval: [480, 497.375] })).toMatch(/return ?488\.7 \[480, 497\.4\]/);
    expect(headline({ ...outcome, value: 500, interval: null })).toMatch(/return ?500 ?one episode/);
  });
  it('tells a collapsed run from a good one by a mark and a sentence', () => {
    const text = 'Reward over-optimization: it rose while it fell.';
    list(run(), run({ id: 'hacked', warnings: [{ kind: 'over-optimization', text }] }));
    const marks = screen.getAllByText('done', { exact: false, selector: '.state' });
    expect(marks.map(({ title }) => title)).toEqual(['', text]);
    expect(marks.map(({ textContent }) => textContent)).toEqual(['✓done', `⚠done, warning: ${text}`]);
  });
});

describe('the headline of a run', () => {
  const difference: RunDifference = {
    runId: 'b',
    runName: 'base',
    step: 2400,
    before: 0.521,
    difference: 0.24125,
    interval: [0.2161, 0.268],
    paired: true,
    problems: 500,
  };
  const texts = (own: Parameters<typeof run>[0], found: RunDifference | null | undefined) => {
    const { container } = render(Headline, { run: run(own), difference: found });
    return (container.textContent ?? '').replaceAll(/\s+/g, ' ');
  };

  it('has the result with its interval, the difference to the start with its sign, KL and time', () => {
    const text = texts({}, difference);
    expect(text).toContain('.762 [.729, .794]');
    expect(text).toMatch(/vs\. base.*\+\.241 \[\+\.216, \+\.268\].*paired over 500 problems/);
    expect(text).toMatch(/KL \.504.*time 35 s/);
    expect(screen.getByRole('link', { name: 'base' }).getAttribute('href')).toContain('b');
  });
  it('says that an interval is unpaired, and of which step a result is', () => {
    const text = texts({ state: 'running', step: 85, endedAt: null }, { ...difference, paired: false });
    expect(text).toContain('unpaired intervals');
    expect(text).toContain('95 % interval, step 80');
    expect(text).not.toContain('time');
  });
  it('keeps the place of a difference that is not known yet, and of no other', () => {
    expect(texts({}, undefined)).toContain('…');
    expect(texts({}, null)).not.toMatch(/…|vs\./);
    expect(texts({ lineage: { ...run().lineage, checkpoints: [] } }, undefined)).not.toContain('…');
  });
  it('is not there without a result', () => {
    expect(texts({ outcome: null }, undefined)).toBe('');
  });
});

describe('values of metrics', () => {
  it('are written as in tables of evaluations: rates with three digits, others with four', () => {
    expect([metricText('eval/pass_at_1')(0.022), metricText('loss')(0.022)]).toEqual(['.022', '.0220']);
    expect([metricText('eval/kl')(51.914), metricText('kl')(3.2552)]).toEqual(['51.91', '3.255']);
  });
});

it('further evaluations are a table with their intervals', () => {
  const found = {
    step: 4,
    evaluations: [
      {
        name: 'hard',
        measures: [{ name: 'pass_at_1', value: 0.5, interval: [0.25, 0.75] as [number, number] }],
      },
      { name: 'held', measures: [{ name: 'perplexity', value: 12.3456, interval: null }] },
    ],
  };
  render(Further, { found });
  const rows = within(screen.getByRole('region', { name: 'Further evaluations' })).getAllByRole('row');
  expect(rows.map(({ textContent }) => textContent?.replaceAll(/\s+/g, ' ').trim())).toEqual([
    expect.stringMatching(/evaluation ?measure ?value/),
    expect.stringMatching(/hard ?pass_at_1 ?\.50 \[\.25, \.75\]/),
    expect.stringMatching(/held ?perplexity ?12\.35/),
  ]);
});
