import { WhetstoneError } from '../../engine/common/errors.ts';
import type { FurtherEvaluations } from '../../engine/schema/evaluation.ts';
import type { SearchCurve } from '../../engine/schema/search.ts';
import type { Checkpoint, Result, Run } from '../../preload/contract/runs.ts';
import { furtherCells, furtherHead } from '../../preload/wire/further.ts';
import { searchCells, searchHead, searchText } from '../../preload/wire/search.ts';
import type { OpenServices } from '../headless/open.ts';
import { leftOutOf, leftOutText } from '../use-cases/left-out.ts';
import { columns, onInterrupt, type Answer } from './command.ts';

/** Most scoring faults printed at the end; the results include more. */
const FAULTS_PRINTED = 3;

const line = ({ name, method, state, phase, step, totalSteps, secondsLeft }: Run): string => {
  const place = totalSteps === null ? '' : `, step ${step} of ${totalSteps}`;
  const left = secondsLeft === null ? '' : `, ${Math.ceil(secondsLeft)} s left`;
  return `${name || method}: ${(state === 'stopping' && `stopping, ${phase}`) || phase || state}${place}${left}`;
};

/** The newest checkpoint, which other commands and specifications can name. */
const newest = ([checkpoint]: readonly Checkpoint[]): string[] =>
  checkpoint ? [`Its checkpoint of step ${checkpoint.step}: ${checkpoint.id}`] : [];

/** The curve of a search as a table; nothing for any other run. */
const searchTable = (results: readonly Result[]): string[] => {
  const found = results.findLast(({ kind }) => kind === 'search');
  if (!found) return [];
  const curve = found.value as SearchCurve;
  return [
    searchText(curve),
    columns([[...searchHead(curve)], ...curve.strategies.map((each) => [...searchCells(each)])]),
  ];
};

/** The last further evaluations as a table; nothing for a run without. */
const furtherTable = (results: readonly Result[]): string[] => {
  const found = results.findLast(({ kind }) => kind === 'further-evaluations');
  if (!found) return [];
  return [columns([[...furtherHead], ...furtherCells(found.value as FurtherEvaluations)])];
};

/**
 * Prints a queued run's progress until its end; returns its results and checkpoints. Ctrl+C stops it after
 * the current step. Throws the error of a failed or interrupted run.
 */
export async function followed(
  { services, api, waitForRun }: OpenServices,
  runId: string,
  log: (text: string) => void,
): Promise<Answer> {
  let last = '';
  const show = (run: Run): void => {
    const now = line(run);
    if (now !== last) log(now);
    last = now;
  };
  const release = onInterrupt(
    () => void services.queue.stop(runId).catch((error: unknown) => log(WhetstoneError.from(error).message)),
  );
  try {
    const run = await waitForRun(runId, show);
    if (run.state === 'failed' || run.state === 'interrupted')
      throw run.error
        ? WhetstoneError.from(run.error)
        : new WhetstoneError('internal', `The run ended as ${run.state}.`, { where: runId });
    const results = await api.runs.results({ id: runId });
    const faults = results.filter(({ kind }) => kind === 'reward-fault');
    for (const { step, value: fault } of faults.slice(0, FAULTS_PRINTED))
      log(`Not scored at step ${step}: ${JSON.stringify(fault)}`);
    const leftOut = await leftOutOf({ api }, runId);
    const checkpoints = await api.runs.checkpoints({ runId });
    const value = { run, results, checkpoints, leftOut };
    const [steps, unit] = [run.step, run.step === 1 ? 'step' : 'steps'];
    const over = `${run.name || run.method} is ${run.state} after ${steps} ${unit}.`;
    const tables = [...searchTable(results), ...furtherTable(results)];
    return { value, text: [over, ...tables, ...newest(checkpoints), ...leftOutText(leftOut)].join('\n') };
  } finally {
    release();
  }
}
