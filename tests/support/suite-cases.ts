import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import type { suites } from '../../preload/contract/suites.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import type { SuiteReport } from '../../engine/schema/suite.ts';
import type { Store } from '../../main/store/client.ts';
import type { Case, World } from './case-types.ts';

type SuiteCases = { readonly [K in keyof typeof suites]: Case<(typeof suites)[K] & Endpoint> };

/** A report on a gold set of two pairs. */
export const suiteReport: SuiteReport = {
  format: 'whetstone-suite-1',
  suite: 'gold',
  file: 'gold.jsonl',
  fileHash: 'f',
  judge: { name: 'judge', hash: 'h' },
  at: 5,
  items: 2,
  unread: 0,
  score: 0.5,
  interval: [0.1, 0.9],
  sections: [],
  subsets: [{ name: 'law', n: 2, weight: 2, score: 0.5, interval: [0.1, 0.9] }],
  steps: null,
  results: [
    {
      id: '1',
      subset: 'law',
      scores: [1, 0],
      credit: 1,
      stepwise: { prompt: 'p', steps: ['a', 'b'], label: 1 },
    },
    { id: '2', subset: 'law', scores: [0, 1], credit: 0 },
  ],
};

/** The same without its items. */
export const suiteSummary = Object.fromEntries(
  Object.entries(suiteReport).filter(([name]) => name !== 'results'),
);

const of = (w: World) => ({ id: w.suiteReportId });
const nowhere = () => ({ input: { id: 'nobody' }, kind: 'not-found' }) as const;

/** Cases of suites. The stand-in engine scores nothing, so that a report is read in. */
export const suiteCases: SuiteCases = {
  run: {
    valid: (w) => {
      const path = join(w.folder, 'report.json');
      writeFileSync(path, JSON.stringify(suiteReport));
      return { from: { kind: 'checkpoint', id: w.checkpointId }, path };
    },
    invalid: (w) => ({
      input: { from: { kind: 'run', id: w.rewardRunId }, path: join(w.folder, 'nowhere.jsonl') },
      kind: 'not-found',
    }),
  },
  list: { valid: () => ({}), invalid: () => ({ input: { surplus: 1 }, kind: 'invalid-input' }) },
  get: { valid: of, invalid: nowhere },
  item: {
    valid: (w) => ({ id: w.suiteReportId, position: 0 }),
    invalid: (w) => ({ input: { id: w.suiteReportId, position: 1 }, kind: 'not-found' }),
  },
  compare: {
    valid: (w) => ({ a: w.suiteReportId, b: w.suiteReportId }),
    invalid: (w) => ({ input: { a: w.suiteReportId, b: 'nobody' }, kind: 'not-found' }),
  },
  remove: { valid: of, invalid: nowhere },
};

/** Large uses of the store's calls about reports. */
export const judgeReportCalls = (store: () => Store) =>
  ({
    'judgeReports.list': () => store().client.judgeReports.list('suite'),
    'judgeReports.get': async () => {
      const results = Array.from({ length: 900 }, () => suiteReport.results[0]);
      const about = { kind: 'suite' as const, hash: 'h', runId: null, at: 5 };
      const id = await store().client.judgeReports.add(about, suiteSummary, { ...suiteReport, results });
      return await store().client.judgeReports.get(id);
    },
  }) as const;
