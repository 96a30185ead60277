/**
 * Import rules. Each zone lists the zones that it may import; all others of ours are refused, at severity
 * error and without exemptions. `tests/architecture/boundaries.test.ts` plants a violation of every rule
 * below and expects it to fire.
 */
const ours = '^(engine|main|preload|renderer|tests)/';
/** Plain values for every zone, pages included: errors, words, numbers; without zod. */
const common = '^engine/common/';
const schema = '^engine/schema/';
const tensor = '^engine/tensor/';
const models = '^engine/models/';
const text = '^engine/text/';
/** Counter-based random numbers and content hashes, for repeatable runs. */
const random = '^engine/random/';
/** Extracts numbers and choices from answers, for verifiers, rewards and importers. */
const answers = '^engine/answers/';
/** Rewards may import worlds, which hold their own verifiers; worlds never import rewards. */
const worlds = '^engine/worlds/';
const control = '^engine/control/';
/** Runs users' code and models' queries for worlds and rewards, and imports neither. */
const sandbox = '^engine/sandbox/';
/** Progress and cancellation of long work; imports none of its users. */
const pace = '^engine/pace/';
/** Ends a process whose parent is gone. */
const watchdog = '^engine/watchdog/';
/** The part of the engine that main may load in its own process. */
const engineDoor = '^engine/[^/]+\\.ts$';
const wire = '^preload/wire/';
const contract = '^preload/contract/';
const lib = '^renderer/(lib|styles)/';
const widgets = '^renderer/widgets/';
const charts = '^renderer/charts/';
const features = '^renderer/features/';
const schemaless = '^(engine/common|preload/wire)/';
const evaluate = '^engine/evaluate/';
/** Linear heads on frozen features, for runs and for the judge that follows labeling. */
const regression = '^engine/regression/';
/** Rules over stored runs, for main: knows curves, answers and evaluations, and nothing that makes them. */
const runDoctor = '^engine/run-doctor/';
const data = '^engine/data/';
const rewards = '^engine/rewards/';
const runtime = '^engine/runtime/';
const optim = '^engine/optim/';
/** The rooms of `engine/rl`, from the ground up. */
const rl = Object.fromEntries(
  ['kernel', 'tasks', 'compute', 'parts', 'methods', 'controllers', 'evaluation', 'search', 'run'].map(
    (room) => [room, `^engine/rl/${room}/`],
  ),
);
/** What methods learn from: each kind says which sources a recipe begins with. */
const taskKinds = '^engine/rl/tasks/kinds/';
/** What a room of `engine/rl` may use of the packages below it. */
const below = [
  common,
  schema,
  pace,
  random,
  answers,
  evaluate,
  regression,
  data,
  tensor,
  text,
  models,
  optim,
  runtime,
  worlds,
  control,
  rewards,
];

/** The other packages that every room of main may use. */
const besideMain = [common, schema, watchdog, engineDoor, wire, contract];
/** The rooms of `main`, from the ground up, and those below that each may use. */
const mainRooms = {
  store: [],
  'engine-host': ['store'],
  judging: ['store', 'engine-host'],
  services: ['store', 'engine-host', 'judging'],
  import: ['store', 'services'],
  export: ['store'],
  logs: ['store'],
  report: ['services'],
  'use-cases': ['store', 'engine-host', 'services'],
  demo: ['store', 'services', 'report', 'plans'],
  plans: ['store', 'engine-host', 'services', 'use-cases'],
  ipc: ['store', 'judging', 'services', 'import', 'export', 'logs', 'report', 'use-cases', 'demo', 'plans'],
  headless: ['engine-host', 'services', 'ipc'],
  desktop: ['engine-host', 'services', 'ipc', 'headless'],
  checkout: ['services', 'plans', 'ipc', 'headless', 'desktop'],
  study: ['store', 'services', 'import', 'report', 'use-cases', 'plans'],
  commands: [
    'store',
    'services',
    'import',
    'export',
    'logs',
    'report',
    'use-cases',
    'ipc',
    'headless',
    'checkout',
    'demo',
    'study',
    'plans',
  ],
};
const mainZones = Object.fromEntries(
  Object.entries(mainRooms).map(([room, under]) => [
    `main/${room}`,
    { is: `^main/${room}/`, may: [...besideMain, ...under.map((each) => `^main/${each}/`)] },
  ]),
);

const zones = {
  'engine/common': { is: common, may: [] },
  'engine/schema': { is: schema, may: [common] },
  'engine/tensor': { is: tensor, may: [common, schema] },
  'engine/watchdog': { is: watchdog, may: [] },
  'engine/pace': { is: pace, may: [common, schema] },
  'engine/onnx': { is: '^engine/onnx/', may: [common, schema, tensor] },
  'engine/runtime': { is: runtime, may: [common, schema, tensor, '^engine/onnx/', pace] },
  'engine/optim': { is: optim, may: [common, schema, tensor] },
  'engine/text': { is: text, may: [common, schema] },
  'engine/data': { is: data, may: [common, schema, random, answers, evaluate] },
  'engine/sandbox': { is: sandbox, may: [common, schema, watchdog] },
  'engine/random': { is: random, may: [common, schema] },
  'engine/answers': { is: answers, may: [common, schema] },
  'engine/worlds': { is: worlds, may: [common, schema, random, answers, sandbox] },
  'engine/control': { is: control, may: [common, schema, random] },
  'engine/tabular': {
    is: '^engine/tabular/',
    may: [common, schema, random, evaluate, control],
  },
  'engine/models': { is: models, may: [common, schema, tensor, text, random, pace] },
  'engine/rewards': {
    is: rewards,
    may: [common, schema, models, text, worlds, random, answers, sandbox, evaluate, regression],
  },
  'engine/evaluate': { is: evaluate, may: [common, schema, random] },
  'engine/run-doctor': { is: runDoctor, may: [common, schema, evaluate] },
  'engine/probes': { is: '^engine/probes/', may: [common, schema, evaluate] },
  'engine/suites': { is: '^engine/suites/', may: [common, schema, random, evaluate] },
  'engine/systems': { is: '^engine/systems/', may: [common, schema] },
  'engine/experiments': { is: '^engine/experiments/', may: [common, schema, random, evaluate] },
  'engine/plans': { is: '^engine/plans/', may: [common, schema, random, answers] },
  'engine/regression': { is: regression, may: [common, schema, pace] },
  'engine/labeling': { is: '^engine/labeling/', may: [common, schema, random, evaluate, regression, pace] },
  'engine/rl/kernel': { is: rl.kernel, may: [common, schema, tensor, random, evaluate] },
  'engine/rl/tasks': {
    is: rl.tasks,
    may: [common, schema, text, data, random, worlds, control, rewards, pace, rl.kernel],
  },
  'engine/rl/compute': {
    is: rl.compute,
    may: [common, schema, tensor, optim, models, text, random, runtime, worlds, pace, rl.kernel],
  },
  'engine/rl/parts': {
    is: rl.parts,
    may: [common, schema, tensor, random, answers, evaluate, regression, pace, rl.kernel],
  },
  'engine/rl/methods': { is: rl.methods, may: [common, schema, rl.kernel, rl.parts, taskKinds] },
  'engine/rl/controllers': {
    is: rl.controllers,
    may: [common, schema, random, regression, rl.kernel, rl.parts],
  },
  'engine/rl/evaluation': { is: rl.evaluation, may: [...below, rl.kernel, rl.parts, rl.tasks, rl.compute] },
  'engine/rl/search': { is: rl.search, may: [common, schema, pace, random, answers, evaluate, rewards] },
  'engine/rl/run': { is: rl.run, may: [...below, ...Object.values(rl)] },
  'engine/rl/tools': { is: '^engine/rl/tools/', may: [...below, ...Object.values(rl)] },
  'engine/rl/proof': { is: '^engine/rl/proof/', may: [...below, ...Object.values(rl)] },
  engine: { is: '^engine/[^/]+\\.ts$', may: ['^engine/'] },
  'engine/process': { is: '^engine/process/', may: ['^engine/'] },
  ...mainZones,
  main: { is: '^main/[^/]+$', may: [...besideMain, '^main/'] },
  preload: { is: '^preload/[^/]+\\.ts$', may: [wire, contract] },
  'preload/wire': { is: wire, may: [common, schema] },
  'preload/contract': { is: contract, may: [common, schema, wire] },
  'renderer/lib': { is: lib, may: [common, schema, wire, contract] },
  'renderer/widgets': { is: widgets, may: [common, schema, wire, contract, lib] },
  'renderer/charts': { is: charts, may: [common, schema, wire, contract, lib, widgets] },
  'renderer/features': { is: features, may: [common, schema, wire, contract, lib, widgets, charts] },
  'renderer/views': {
    is: '^renderer/views/',
    may: [common, schema, wire, contract, lib, widgets, charts, features],
  },
  renderer: { is: '^renderer/[^/]+$', may: [common, schema, wire, contract, '^renderer/'] },
};

const zoneRules = Object.entries(zones).map(([name, { is, may }]) => ({
  name: `zone ${name}`,
  severity: 'error',
  from: { path: is },
  to: { path: ours, pathNot: [is, ...may] },
}));

module.exports = {
  forbidden: [
    ...zoneRules,
    {
      name: 'a feature stands alone',
      comment: 'What two features need belongs in charts, widgets or lib.',
      severity: 'error',
      from: { path: '^renderer/features/([^/]+)/' },
      to: { path: features, pathNot: '^renderer/features/$1/' },
    },
    {
      name: 'only runtime loads ONNX Runtime',
      severity: 'error',
      from: { path: ours, pathNot: '^(engine/runtime|tests/bench)/' },
      to: { path: 'onnxruntime' },
    },
    {
      name: 'index never reaches the runtime',
      comment: 'Main loads the top of engine in its own process, where a graph must never run.',
      severity: 'error',
      from: { path: engineDoor },
      to: { path: '^engine/runtime/', reachable: true },
    },
    {
      name: 'the engine process is spawned, never imported',
      severity: 'error',
      from: { path: ours, pathNot: '^(engine/process|tests)/' },
      to: { path: '^engine/process/' },
    },
    {
      name: 'the sandbox process is spawned, never imported',
      severity: 'error',
      from: { path: ours, pathNot: '^engine/sandbox/process/' },
      to: { path: '^engine/sandbox/process/' },
    },
    {
      name: 'electron stays in the shell',
      severity: 'error',
      from: { path: ours, pathNot: '^(main/desktop/|preload/[^/]+$|tests/app/)' },
      to: { path: '(^|/)electron(/|$)' },
    },
    {
      name: 'SQLite stays in the store',
      severity: 'error',
      from: { path: '^(engine|main|preload|renderer)/', pathNot: '^main/store/' },
      to: { path: 'better-sqlite3' },
    },
    {
      name: 'what pages load has no Node in it',
      severity: 'error',
      from: { path: '^(renderer|preload/(wire|contract)|engine/(common|schema))/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'what ships needs no development package',
      comment: 'main/checkout holds tools of a checkout; electron is the shell itself.',
      severity: 'error',
      from: { path: '^(engine|main|preload)/', pathNot: '^main/checkout/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '(^|/)electron(/|$)' },
    },
    {
      name: 'pages load no schema',
      comment:
        'zod compiles its checks with Function, which the content security policy of pages forbids: pages ' +
        'import types of schemas, and values of these folders alone.',
      severity: 'error',
      from: { path: '^renderer/' },
      to: {
        path: '^(engine/schema|preload/contract)/|(^|/)zod(/|$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'what pages load of the contract is no schema',
      severity: 'error',
      from: { path: schemaless },
      to: {
        path: '^(engine/schema|preload/contract)/|(^|/)zod(/|$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no cycles between folders',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    { name: 'every import resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|release)/|/\\.svelte-check/' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      conditionNames: ['svelte', 'types', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.svelte', '.mjs', '.js', '.cjs', '.json'],
    },
    externalModuleResolutionStrategy: 'node_modules',
  },
};
