import { describe, expect, it } from 'vitest';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import { policyLines, policyTable } from '../../main/report/policies.ts';
import { policyColumns } from '../../preload/wire/measures.ts';

const evaluation = (own: Partial<PolicyEvaluation> = {}): PolicyEvaluation => ({
  step: 10,
  problems: 4,
  samples: 2,
  passAt1: 0.5,
  passAt1Interval: [0.4, 0.6],
  passAtK: [
    { k: 1, value: 0.5 },
    { k: 2, value: 0.7 },
  ],
  greedy: 0.6,
  kl: 1.234,
  meanLength: 9,
  truncated: 0.125,
  gold: 0.45,
  proxy: null,
  ...own,
});
const titles = (...all: PolicyEvaluation[]) => policyColumns('page', all).map(({ title }) => title);

describe('the columns of evaluations', () => {
  it('include pass@k for the largest k, and a proxy, only if an evaluation has them', () => {
    expect(titles(evaluation())).not.toContain('proxy');
    expect(titles(evaluation(), evaluation({ proxy: 1 }))).toContain('proxy');
    expect(
      titles(evaluation({ passAtK: [{ k: 1, value: 0.5 }] })).filter((each) => /^pass/.test(each)),
    ).toEqual(['pass@1']);
  });

  it('count right answers only where a problem has several', () => {
    expect(titles(evaluation({ distinctRight: 1.5 }))).toContain('distinct right');
    expect(titles(evaluation({ distinctRight: 0.7 }), evaluation())).not.toContain('distinct right');
  });

  it('have gold only where the verifier gives more than right or wrong', () => {
    expect(titles(evaluation())).toContain('gold');
    expect(titles(evaluation({ gold: 0.5 }))).not.toContain('gold');
  });

  it('form the table of a report: dashes without an evaluation, the k if it differs', () => {
    const { columns, rows } = policyTable(
      ['Run'],
      [
        { lead: ['a'], evaluation: evaluation({ passAtK: [{ k: 8, value: 0.75 }] }), colour: 0 },
        { lead: ['b'], evaluation: evaluation(), colour: 1 },
        { lead: ['c'], evaluation: null, colour: 2 },
      ],
    );
    expect(columns.map(({ title }) => title)).toEqual([
      'Run',
      'pass@1',
      'pass@8',
      'greedy',
      'KL, nats',
      'length, tokens',
      'truncated',
      'gold',
    ]);
    expect(rows).toEqual([
      [
        'a',
        { value: 0.5, interval: [0.4, 0.6], range: [0, 1], colour: 0 },
        '.750',
        '.600',
        '1.234',
        '9.0',
        '.125',
        '.450',
      ],
      [
        'b',
        { value: 0.5, interval: [0.4, 0.6], range: [0, 1], colour: 1 },
        '.700 (k=2)',
        '.600',
        '1.234',
        '9.0',
        '.125',
        '.450',
      ],
      ['c', ...Array<string>(7).fill('–')],
    ]);
  });

  it('form lines of the command line, with the interval in brackets', () =>
    expect(policyLines('policy', [{ name: 'base', evaluation: evaluation({ proxy: -0.5 }) }])).toEqual([
      ['policy', 'pass@1 [95 %]', 'pass@2', 'greedy', 'KL', 'length', 'gold', 'proxy'],
      ['base', '.50 [.40, .60]', '.700', '.600', '1.234', '9.0', '.450', '−.500'],
    ]));
});

const full = evaluation({ proxy: 1 });
const tables = ['page', 'report', 'command'] as const;
const columns = new Map(
  tables.flatMap((table) => policyColumns(table, [full])).map((column) => [column.title, column]),
);

describe.each([...columns])('the column %s', (title, { tables: limited = tables, unit }) => {
  it('is in every table that it names, and in no other', () => {
    const { columns: ofReport } = policyTable([], [{ lead: [], evaluation: full, colour: 0 }]);
    const [ofCommand] = policyLines('', [{ name: '', evaluation: full }]);
    const shown = {
      page: policyColumns('page', [full]).some((column) => column.title === title),
      report: ofReport.some((column) => column.title === (unit ? `${title}, ${unit}` : title)),
      command: ofCommand.some((column) => column.split(' [')[0] === title),
    };
    expect(tables.filter((table) => shown[table])).toEqual(tables.filter((table) => limited.includes(table)));
  });
  it('has a cell in each of their rows', () => {
    const cell = columns.get(title)?.cell(full);
    expect(typeof cell === 'string' ? cell : cell?.value).not.toBeOneOf([undefined, null, '']);
  });
});
