import type { Dataset } from '../preload/contract/datasets.ts';
import type { LabelSet } from '../preload/contract/labels.ts';
import type { Model } from '../preload/contract/models.ts';
import type { Checkpoint, Run } from '../preload/contract/runs.ts';
import { canResume, isLive } from '../preload/wire/run-states.ts';
import { demoGoesOn, startDemo, stopDemo } from './lib/demo.ts';
import {
  evolvingCheckpoint,
  evolvingModel,
  evolvingRun,
  type Evolving,
  type Workspace,
} from './lib/evolve.ts';
import { count, plural } from './lib/format.ts';
import type { Catalogue } from './lib/methods.ts';
import { router } from './lib/router.svelte.ts';
import { session } from './lib/session.svelte.ts';
import { theme } from './lib/settings.svelte.ts';
import { trainBase } from './lib/starts.ts';
import { screens } from './screens.ts';
import type { PaletteItem } from './widgets/Palette.svelte';

/** Most entries of a group. */
const MOST = 200;
/** Most runs that a comparison is opened with, or that are offered to be resumed. */
const COMPARED = 6;

type Query = Readonly<Record<string, string | undefined>>;
const go =
  (path: readonly string[], query: Query = {}): (() => void) =>
  () =>
    router.go(path, query);
const act = (id: string, title: string, run: () => void, note?: string): PaletteItem => ({
  id: `do-${id}`,
  group: 'Do',
  title,
  run,
  ...(note && { note }),
});

/** The screens, except those listed as actions. */
const goTo = (): readonly PaletteItem[] =>
  screens
    .filter(({ anew }) => !anew)
    .map(({ id, title, keys }) => ({
      id: `go-${id}`,
      group: 'Go to',
      title,
      ...(keys && { keys }),
      run: go([id]),
    }));

const nameOf = ({ name, method }: Run): string => name || method;

/** Continues a run, and opens it. */
async function resumed({ id }: Run): Promise<void> {
  await session.client.runs.resume({ id });
  router.go(['runs', id]);
}

/** “Evolve”, where it can be done. */
const evolve = (name: string, { address, hint }: Evolving): readonly PaletteItem[] =>
  address === null ? [] : [act('evolve', `Evolve ${name}`, () => router.open(address), hint)];

const known = ({ checkpoints, datasets }: Contents): Workspace => ({
  checkpoints,
  datasets,
  specOfRun: (runId) => session.runs.get(runId)?.spec,
});

/** Actions on the run that is open. */
const onRun = (run: Run, contents: Contents): readonly PaletteItem[] => [
  ...(isLive(run) || !contents.checkpoints.some(({ runId }) => runId === run.id)
    ? []
    : evolve(nameOf(run), evolvingRun(run.id, known(contents)))),
  ...(run.imported ? [] : [act('copy', `Copy ${nameOf(run)}`, go(['runs', 'new'], { from: run.id }))]),
  act('export-curves', `Export curves of ${nameOf(run)}`, go(['runs', 'export'], { runs: run.id })),
];

/** Actions on the model or the checkpoint that is open. */
function onModel(id: string, contents: Contents): readonly PaletteItem[] {
  const model = contents.models.find((each) => each.id === id && each.head === 'next-token');
  if (model) return evolve(model.name, evolvingModel(id));
  const checkpoint = contents.checkpoints.find((each) => each.id === id && each.head === 'next-token');
  if (!checkpoint) return [];
  const { runName, method, step } = checkpoint;
  return evolve(`${runName || method}, step ${count(step)}`, evolvingCheckpoint(id, known(contents)));
}

/** Forms of runs, plans and charts. */
const beginnings = (): readonly PaletteItem[] => [
  act('launch', 'Launch a run', go(['runs', 'new'])),
  act('plan', 'New plan', go(['runs', 'plans', 'new'])),
  act('family', 'New robustness family', go(['runs', 'plans', 'new'], { form: 'family' })),
  act('arena', 'New reward arena', go(['runs', 'plans', 'new'], { form: 'arena' })),
  act('chart', 'Draw a chart of behaviour', go(['runs', 'behaviour'])),
  act('base', 'Train a base policy', go(['runs', 'new'], trainBase())),
];

/** Actions on the open workspace. */
function onWorkspace(contents: Contents): readonly PaletteItem[] {
  const finished = session.runList
    .filter(({ state, archived }) => state === 'done' && !archived)
    .slice(0, COMPARED);
  const [screen, id] = router.route.path;
  const dataset = screen === 'datasets' && id !== undefined ? id : null;
  const ofDataset = (make: string): (() => void) =>
    go(['datasets', id], { ...router.route.query, tab: undefined, make });
  const open = screen === 'runs' && id !== undefined ? session.runs.get(id) : undefined;
  const live = [...(session.running ? [session.running] : []), ...session.queued];
  return [
    act('import', 'Import a dataset', go(['datasets'])),
    ...(dataset === null
      ? []
      : [
          act('derive', 'New dataset from these rows', ofDataset('new')),
          act('split', 'Split these rows into parts', ofDataset('split')),
          act('lineage', 'Show the lineage of this dataset', ofDataset('lineage')),
        ]),
    act('import-logs', 'Import logs of other tools', go(['runs', 'import'])),
    act('label', 'Label pairs', go(['label'])),
    ...beginnings(),
    ...live.map((run) =>
      act(
        `stop-${run.id}`,
        run.state === 'queued' ? `Remove ${nameOf(run)} from the queue` : `Stop ${nameOf(run)}`,
        () => void session.attempt(() => session.client.runs.stop({ id: run.id })),
      ),
    ),
    ...session.runList
      .filter(canResume)
      .slice(0, COMPARED)
      .map((run) =>
        act(`resume-${run.id}`, `Resume ${nameOf(run)}`, () => void session.attempt(() => resumed(run))),
      ),
    ...(screen === 'label' && id !== undefined
      ? [
          act('set-options', 'Set options', go(['label', id, 'options'])),
          act('set-bulk', 'Label in bulk', go(['label', id, 'bulk'])),
        ]
      : []),
    ...(open ? onRun(open, contents) : []),
    ...(screen === 'models' && id !== undefined ? onModel(id, contents) : []),
    ...(finished.length > 1
      ? [
          act(
            'compare',
            `Compare the last ${count(finished.length)} finished runs`,
            go(['compare'], { runs: finished.map(({ id }) => id).join(',') }),
            finished.map(nameOf).join(', '),
          ),
        ]
      : []),
    demoGoesOn() ? act('demo', 'Stop the demo', stopDemo) : act('demo', 'Run the demo here', startDemo),
    act('backup', 'Back up this workspace', go(['settings'])),
  ];
}

/** Actions that need no workspace. */
function everywhere(): readonly PaletteItem[] {
  const look = theme();
  return [
    act('workspace', 'Create or open a workspace', go(['welcome'])),
    act('theme', 'Toggle theme', () => look.choose(look.shown === 'dark' ? 'light' : 'dark')),
    ...(['light', 'dark', 'system'] as const).map((choice) =>
      act(`theme-${choice}`, `Theme: ${choice}`, () => look.choose(choice)),
    ),
  ];
}

const runs = (): readonly PaletteItem[] =>
  session.runList.slice(0, MOST).map((run) => ({
    id: `run-${run.id}`,
    group: 'Runs',
    title: nameOf(run),
    note: `${run.method}, ${run.state}`,
    run: go(['runs', run.id]),
  }));

interface Contents {
  readonly datasets: readonly Dataset[];
  readonly labelSets: readonly LabelSet[];
  readonly models: readonly Model[];
  readonly checkpoints: readonly Checkpoint[];
}
const nothing: Contents = { datasets: [], labelSets: [], models: [], checkpoints: [] };

const contentItems = ({ datasets, labelSets, models, checkpoints }: Contents): readonly PaletteItem[] => [
  ...datasets.slice(0, MOST).map(({ id, name, rows }) => ({
    id: `dataset-${id}`,
    group: 'Datasets',
    title: name,
    note: plural(rows, 'row'),
    run: go(['datasets', id]),
  })),
  ...labelSets.slice(0, MOST).map(({ id, name, labeled, pairs }) => ({
    id: `labels-${id}`,
    group: 'Label sets',
    title: name,
    note: `${count(labeled)} of ${plural(pairs, 'pair')} labeled`,
    run: go(['label', id]),
  })),
  ...labelSets.slice(0, MOST).map(({ id, name }) => ({
    id: `quality-${id}`,
    group: 'Label sets',
    title: `Quality of ${name}`,
    note: 'agreement, repeats, gold, disputes',
    run: go(['label', id, 'quality']),
  })),
  ...models.slice(0, MOST).map(({ id, name, architecture }) => ({
    id: `model-${id}`,
    group: 'Models',
    title: name,
    note: architecture,
    run: go(['models', id]),
  })),
  ...checkpoints.slice(0, MOST).map(({ id, runName, method, step, head }) => ({
    id: `checkpoint-${id}`,
    group: 'Models',
    title: `${runName || method}, step ${count(step)}`,
    note: head === 'reward' ? 'reward model' : 'policy',
    run: go(['models', id]),
  })),
];

const methodItems = (methods: Catalogue['methods']): readonly PaletteItem[] =>
  methods.map(({ id, title }) => ({
    id: `method-${id}`,
    group: 'Methods',
    title,
    note: id,
    run: go(['methods', 'method', id]),
  }));

/** Entries of the command palette; the contents of the workspace are read each time it opens. */
export class PaletteState {
  open = $state(false);
  private contents = $state.raw<Contents>(nothing);
  private methods = $state.raw<Catalogue['methods']>([]);
  readonly items = $derived<readonly PaletteItem[]>(
    this.open
      ? [
          ...goTo(),
          ...(session.workspace ? onWorkspace(this.contents) : []),
          ...everywhere(),
          ...runs(),
          ...contentItems(this.contents),
          ...methodItems(this.methods),
        ]
      : [],
  );

  async load(): Promise<void> {
    const { client, workspace } = session;
    if (!workspace) {
      this.contents = nothing;
      return;
    }
    await session.attempt(async () => {
      const [datasets, labelSets, models, checkpoints, catalogue] = await Promise.all([
        client.datasets.list({}),
        client.labels.sets({}),
        client.models.list({}),
        client.runs.checkpoints({}),
        this.methods.length ? null : client.runs.catalogue({}),
      ]);
      if (session.workspace?.id !== workspace.id) return;
      this.contents = { datasets, labelSets, models, checkpoints };
      if (catalogue) this.methods = catalogue.methods;
    });
  }
}
