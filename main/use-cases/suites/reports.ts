import { mean, pairedDifference } from '../../../engine/index.ts';
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
