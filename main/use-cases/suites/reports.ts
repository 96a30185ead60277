import { mean, pairedDifference } from '../../../engine/index.ts';
import { stepRanges, type StepRange } from '../../../engine/common/answer-steps.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { SuiteReport, SuiteSummary } from '../../../engine/schema/suite.ts';
import type { ListedSuite, SuiteDifference } from '../../../preload/contract/suites.ts';
import type { Services } from '../../services/services.ts';

/** A stored report. Throws `not-found`, and for a report of another kind. */
export async function suiteReport({ store }: Pick<Services, 'store'>, id: string): Promise<SuiteReport> {
  const read = SuiteReport.safeParse(await store.judgeReports.get(id));
  if (read.success) return read.data;
  throw new WhetstoneError('not-found', 'There is no report of a suite with this id.', {
    where: id,
    hint: 'The list of reports names the ids.',
  });
}

/** An item of a report of ProcessBench: its solution, with the offsets of its steps. */
export interface SuiteItem {
  readonly id: string;
  readonly prompt: string;
  readonly completion: string;
  readonly ranges: readonly StepRange[];
  /** Index of the first wrong step, −1 without one. */
  readonly label: number;
  readonly report: SuiteReport;
}

/** Throws `not-found` for a position without an item, and for one of which the report has no text. */
export async function suiteItem(
  services: Pick<Services, 'store'>,
  { id, position }: { readonly id: string; readonly position: number },
): Promise<SuiteItem> {
  const report = await suiteReport(services, id);
  const result = report.results.at(position);
  const where = `item ${position}`;
  if (!result)
    throw new WhetstoneError('not-found', `The report has ${report.results.length} items.`, {
      where,
      hint: 'Positions count from 0.',
    });
  if (!result.stepwise)
    throw new WhetstoneError('not-found', 'The report has no text of this item.', {
      where,
      hint: 'Only reports of ProcessBench have texts, and those of earlier versions do not: run the suite again.',
    });
  const { prompt, steps, label } = result.stepwise;
  const split = { steps, separator: '\n\n' };
  const completion = steps.join(split.separator);
  return { id: result.id, prompt, completion, ranges: stepRanges(split), label, report };
}

export async function suiteList({ store }: Pick<Services, 'store'>): Promise<ListedSuite[]> {
  return (await store.judgeReports.list('suite')).map(({ id, runId, summary }) => ({
    id,
    runId,
    summary: SuiteSummary.parse(summary),
  }));
}

/** Two reports on the same file, paired item by item. Throws `invalid-input` for different files. */
export async function compareSuites(
  services: Pick<Services, 'store'>,
  { a, b }: { readonly a: string; readonly b: string },
): Promise<SuiteDifference> {
  const [first, second] = [await suiteReport(services, a), await suiteReport(services, b)];
  if (first.fileHash !== second.fileHash || first.results.length !== second.results.length)
    throw new WhetstoneError('invalid-input', 'The reports are on different files.', {
      where: 'b',
      hint: 'Compare reports on the same file.',
    });
  const both = first.results.flatMap(({ credit, id }, at) => {
    const other = second.results[at].credit;
    return credit === null || other === null ? [] : [{ id, a: credit, b: other }];
  });
  if (both.length === 0) return { items: 0, a: null, b: null, difference: null, interval: null };
  const [as, bs] = [both.map((each) => each.a), both.map((each) => each.b)];
  const { difference, interval } = pairedDifference(as, bs);
  return { items: both.length, a: mean(as), b: mean(bs), difference, interval };
}
