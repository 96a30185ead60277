import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkSpec,
  composers,
  controllers,
  controlWorldInfos,
  methods,
  recommended,
  rewards,
  specSchema,
  taskKinds,
  worlds,
} from '../../engine/index.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { runs } from '../../preload/contract/runs.ts';
import { forkOf, inputsOfFork } from '../services/forks.ts';
import { freezeInputs } from '../services/resources.ts';
import { differenceToStart } from '../use-cases/difference.ts';
import type { Services } from '../services/services.ts';
import { preflightFeed, runFeed, runListFeed } from './run-feeds.ts';

const ok = { ok: true } as const;

export const runsHandlers = (services: Services): Handlers<typeof runs> => ({
  catalogue: () => ({
    methods: [
      ...methods.map((m) => ({
        ...m,
        main: [...m.main],
        presets: { ...m.presets },
        stations: [...m.stations],
        roles: [...m.roles],
      })),
    ],
    taskKinds: [...taskKinds],
    worlds: worlds.map((world) => ({
      ...world,
      taskKinds: [...world.taskKinds],
      wordings: [...world.wordings],
    })),
    controlWorlds: [...controlWorldInfos],
    rewards: rewards.map((r) => ({ ...r, needs: [...r.needs] })),
    controllers: [...controllers],
    composers: [...composers],
    spec: specSchema,
    recommended: { methods: [...recommended.methods], base: { ...recommended.base } },
  }),
  check: ({ spec }) => checkSpec(spec),
  preflight: ({ spec, ...options }, signal) => preflightFeed(services, { spec, options, signal }),
  async launch({ spec, fork, question }) {
    const forked = fork === undefined ? null : await forkOf(services, fork, spec);
    const checked = forked?.spec ?? checkSpec(spec);
    await services.devices.require(checked.device);
    const inputs = forked ? await inputsOfFork(services, forked) : await freezeInputs(services, checked);
    const run = await services.store.runs.create(checked, inputs, {
      fork: forked?.fork,
      question: question?.trim(),
    });
    services.queue.publish(run);
    services.queue.pump();
    return { runId: run.id };
  },
  async fork({ checkpointId, spec }) {
    const { fork, because } = await forkOf(services, checkpointId, spec);
    return { carries: fork.carries, step: fork.step, because: [...because] };
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
    services.queue.publish(run);
    return run;
  },
  async archive({ id, archived }) {
    services.queue.publish(await services.store.runs.archive(id, archived));
    return ok;
  },
  async remove({ id }) {
    await services.store.runs.remove(id);
    services.queue.publishRemoved(id);
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
  difference: ({ id }) => differenceToStart(services, id),
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
  live: ({ runId }, signal) => runFeed(services, runId, signal),
  watch: (_input, signal) => runListFeed(services, signal),
});
