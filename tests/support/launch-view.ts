/** The launch form as a button of the app opens it, on a workspace that the test describes. */
import {
  checkSpec,
  controlWorldInfos,
  methods,
  recommended,
  rewards,
  specSchema,
  systemFacts,
  taskKinds,
  worlds,
} from '../../engine/index.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import type { Catalogue } from '../../renderer/features/runs/form/launch.svelte.ts';
import { LaunchView } from '../../renderer/views/launch.svelte.ts';

const catalogue = structuredClone({
  methods,
  taskKinds,
  worlds,
  controlWorlds: controlWorldInfos,
  rewards,
  composers: [],
  controllers: [],
  spec: specSchema,
  recommended,
}) as unknown as Catalogue;

export type Workspace = ConstructorParameters<typeof LaunchView>[0];

/** A workspace as the services report it: runs with one checkpoint each, oldest first, and label sets. */
export function workspace(
  runs: Readonly<Record<string, unknown>> = {},
  { labelSets = [] as string[], datasets = [] as object[], decided = 200 } = {},
): Workspace {
  const checkpoints = Object.keys(runs).map(
    (runId, createdAt) =>
      ({
        id: `last of ${runId}`,
        runId,
        runName: runId,
        createdAt,
        method: 'sft',
        head: 'next-token',
      }) as Checkpoint,
  );
  const stored = Object.entries(runs).map(([id, spec]) => ({ id, spec: checkSpec(spec) }));
  return {
    runs: {
      catalogue: async () => structuredClone(catalogue),
      checkpoints: async () => checkpoints,
      list: async ({ archived }: { archived?: boolean }) => (archived ? [] : stored),
      check: async ({ spec }: { spec: unknown }) => checkSpec(spec),
      preflight: () => () => undefined,
    },
    system: { devices: async () => [{ id: 'cpu', title: 'CPU', state: 'works' }] },
    models: { list: async () => [] },
    methods: { systems: async () => structuredClone({ systems: systemFacts }) },
    datasets: { list: async () => datasets },
    labels: {
      sets: async () => labelSets.map((id) => ({ id, name: id, createdAt: 0, decided })),
      reading: async ({ checkpointIds }: { checkpointIds: string[] }) => ({
        bytes: 60,
        readable: checkpointIds,
      }),
    },
  } as unknown as Workspace;
}

/** The unchanged form that a button opens, after its effects have run. */
export async function opened(query: Readonly<Record<string, string | undefined>>, client = workspace()) {
  const view = new LaunchView(client, () => undefined);
  await view.load(query);
  view.launch?.checkSoon();
  if (!view.launch) throw new Error('the form did not open');
  return view.launch;
}
