import type { CallProgress } from '../../engine/schema/messages.ts';
import type { PreflightProgress } from '../../engine/schema/preflight.ts';
import type { RunChange, RunListChange } from '../../preload/contract/runs.ts';
import { preflightOf, type PreflightOptions } from '../use-cases/preflight.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

const joinChanges = (older: RunChange, newer: RunChange): RunChange => ({
  run: newer.run,
  newSamples: older.newSamples + newer.newSamples,
});
const joinLists = (older: RunListChange, newer: RunListChange): RunListChange => {
  const removed = new Set([...older.removed, ...newer.removed]);
  const runs = new Map([...older.runs, ...newer.runs].map((run) => [run.id, run]));
  return { runs: [...runs.values()].filter(({ id }) => !removed.has(id)), removed: [...removed] };
};

/** Feed of a preflight's progress, then its result. */
export const preflightFeed = (
  services: Services,
  {
    spec,
    options,
    signal,
  }: {
    readonly spec: unknown;
    readonly options: Pick<PreflightOptions, 'dryRun' | 'limitBytes'>;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<PreflightProgress> =>
  follow<PreflightProgress>(
    signal,
    (_older, newer) => newer,
    (push, end) => {
      const work = new AbortController();
      const report = (progress: CallProgress<'preflight'>): void => push({ ...progress, result: null });
      preflightOf(services, spec, { ...options, signal: work.signal, report }).then((result) => {
        push({ phase: 'stepping', done: 1, total: 1, result });
        end();
      }, end);
      return () => work.abort();
    },
  );

/** Feed of a run's current state and its changes, until the run is removed. */
export const runFeed = (services: Services, runId: string, signal: AbortSignal): AsyncGenerator<RunChange> =>
  follow<RunChange>(signal, joinChanges, (push, end) => {
    // queue changes that arrive while the current state is fetched
    const early: RunChange[] = [];
    let emit = (change: RunChange): void => void early.push(change);
    const stops = [
      services.queue.watch((change) => {
        if (change.run.id === runId) emit(change);
      }),
      services.queue.watchRemovals((id) => {
        if (id === runId) end();
      }),
    ];
    services.store.runs.get(runId).then((run) => {
      push({ run, newSamples: 0 });
      early.forEach(push);
      emit = push;
    }, end);
    return () => stops.forEach((stop) => stop());
  });

/** Feed of changed and removed runs of the workspace. */
export const runListFeed = (services: Services, signal: AbortSignal): AsyncGenerator<RunListChange> =>
  follow<RunListChange>(signal, joinLists, (push) => {
    const stops = [
      services.queue.watch(({ run }) => push({ runs: [run], removed: [] })),
      services.queue.watchRemovals((id) => push({ runs: [], removed: [id] })),
    ];
    return () => stops.forEach((stop) => stop());
  });
