import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkSpec,
  controllers,
  methods,
  recommended,
  rewards,
  specSchema,
  worlds,
} from '../../engine/index.ts';
import type { CallProgress } from '../../engine/schema/messages.ts';
import type { PreflightProgress } from '../../engine/schema/preflight.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { RunChange, RunListChange, runs } from '../../preload/contract/runs.ts';
import { preflightOf } from '../preflight.ts';
import { freezeInputs } from '../resources.ts';
import type { Services } from '../services.ts';
import { follow } from './stream.ts';

const ok = { ok: true } as const;

const joinChanges = (older: RunChange, newer: RunChange): RunChange => ({
  run: newer.run,
  metrics: { ...older.metrics, ...newer.metrics },
  newSamples: older.newSamples + newer.newSamples,
});
const joinLists = (older: RunListChange, newer: RunListChange): RunListChange => {
  const removed = new Set([...older.removed, ...newer.removed]);
  const runs = new Map([...older.runs, ...newer.runs].map((run) => [run.id, run]));
  return { runs: [...runs.values()].filter(({ id }) => !removed.has(id)), removed: [...removed] };
};

export const runsHandlers = (services: Services): Handlers<typeof runs> => ({
  catalogue: () => ({
    methods: [...methods.map((m) => ({ ...m, presets: { ...m.presets }, stations: [...m.stations] }))],
    worlds: [...worlds],
    rewards: rewards.map((r) => ({ ...r, needs: [...r.needs] })),
    controllers: [...controllers],
    spec: specSchema,
    recommended: { methods: [...recommended.methods], base: { ...recommended.base } },
  }),
  check: ({ spec }) => checkSpec(spec),
  preflight: ({ spec, ...options }, signal) =>
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
    ),
  async launch({ spec }) {
    const checked = checkSpec(spec);
    await services.devices.require(checked.device);
    const run = await services.store.runs.create(checked, await freezeInputs(services, checked));
    services.queue.tell(run);
    services.queue.pump();
    return { runId: run.id };
  },
  list: ({ archived, before }) => services.store.runs.list(archived, before),
  get: ({ id }) => services.store.runs.get(id),
  async stop({ id }) {
    await services.queue.stop(id);
    return ok;
  },
  async resume({ id }) {
    const { spec } = await services.store.runs.get(id);
    if (spec) await services.devices.require(spec.device);
    await services.queue.resume(id);
    return ok;
  },
  async edit({ id, ...changes }) {
    const run = await services.store.runs.edit(id, changes);
    services.queue.tell(run);
    return run;
  },
  async archive({ id, archived }) {
    services.queue.tell(await services.store.runs.archive(id, archived));
    return ok;
  },
  async remove({ id }) {
    await services.store.runs.remove(id);
    services.queue.tellRemoved(id);
    await rm(join(services.folder, 'artifacts', 'runs', id), { recursive: true, force: true });
    return ok;
  },
  metricNames: ({ runIds }) => services.store.metrics.names(runIds),
  metrics: (query) => services.store.metrics.series(query),
  samples: (query) => services.store.samples.query(query),
  commonPrompts: ({ runIds, limit }) => services.store.samples.commonPrompts(runIds, limit),
  async results({ id }) {
    await services.store.runs.get(id);
    return await services.store.results.list(id);
  },
  checkpoints: ({ runId, before }) => services.store.checkpoints.list(runId, before),
  async keepCheckpoint({ id, kept }) {
    await services.store.checkpoints.keep(id, kept);
    return ok;
  },
  async removeCheckpoint({ id }) {
    await rm(join(services.folder, await services.store.checkpoints.remove(id)), {
      recursive: true,
      force: true,
    });
    return ok;
  },
  live: ({ runId }, signal) =>
    follow<RunChange>(signal, joinChanges, (push, end) => {
      // what happens while the present state is fetched comes after it
      const early: RunChange[] = [];
      let tell = (change: RunChange): void => void early.push(change);
      const stops = [
        services.queue.watch((change) => {
          if (change.run.id === runId) tell(change);
        }),
        services.queue.watchRemovals((id) => {
          if (id === runId) end();
        }),
      ];
      Promise.all([services.store.runs.get(runId), services.store.metrics.latest(runId)]).then(
        ([run, metrics]) => {
          push({ run, metrics, newSamples: 0 });
          early.forEach(push);
          tell = push;
        },
        end,
      );
      return () => stops.forEach((stop) => stop());
    }),
  watch: (_input, signal) =>
    follow<RunListChange>(signal, joinLists, (push) => {
      const stops = [
        services.queue.watch(({ run }) => push({ runs: [run], removed: [] })),
        services.queue.watchRemovals((id) => push({ runs: [], removed: [id] })),
      ];
      return () => stops.forEach((stop) => stop());
    }),
});
