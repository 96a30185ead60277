/**
 * Who may import whom. Each zone lists what it may reach besides itself; everything else of ours is refused,
 * at severity error and without exemptions. `tests/architecture/boundaries.test.ts` plants a violation of
 * every rule below and expects it to fire.
 */
const ours = '^(engine|main|preload|renderer|tests)/';
const schema = '^engine/schema/';
const tensor = '^engine/tensor/';
const models = '^engine/models/';
const text = '^engine/text/';
/** Counter-based random numbers and content hashes, for everything that must be repeatable. */
const random = '^engine/random/';
/** Reads numbers and choices out of answers, for verifiers, rewards and importers alike. */
const answers = '^engine/answers/';
/** A verifier is the world's own judgement, so rewards may read worlds; worlds know nothing of rewards. */
const worlds = '^engine/worlds/';
/** Where a user's code and a model's queries run: worlds and rewards ask it, and it knows of neither. */
const sandbox = '^engine/sandbox/';
/** Pauses of long work, for whoever computes for long; it knows of nobody. */
const pace = '^engine/pace/';
/** Ends a process whose starter is gone, for every process that is started. */
const watchdog = '^engine/watchdog/';
const contract = '^preload/contract/';
const lib = '^renderer/(lib|styles)/';
const widgets = '^renderer/widgets/';
const charts = '^renderer/charts/';
const features = '^renderer/features/';
/** Plain values of the contract and of the schemas, without zod. */
const schemaless =
  '^(engine/schema/(errors|number-text|suggested|transcript)|preload/contract/(channels|wire))\\.ts$';
const evaluate = '^engine/evaluate/';
const data = '^engine/data/';
const rewards = '^engine/rewards/';
const runtime = '^engine/runtime/';
const optim = '^engine/optim/';
/** The rooms of `engine/rl`, from the ground up. */
const rl = Object.fromEntries(
  ['kernel', 'tasks', 'compute', 'parts', 'methods', 'controllers', 'evaluation', 'run'].map((room) => [
    room,
    `^engine/rl/${room}/`,
  ]),
);
/** What a room of `engine/rl` may use of the packages below it. */
const below = [
  schema,
  pace,
  random,
  answers,
  evaluate,
  data,
  tensor,
  text,
  models,
  optim,
  runtime,
  worlds,
  rewards,
];

const zones = {
  'engine/schema': { is: schema, may: [] },
  'engine/tensor': { is: tensor, may: [schema] },
  'engine/watchdog': { is: watchdog, may: [] },
  'engine/pace': { is: pace, may: [schema] },
  'engine/onnx': { is: '^engine/onnx/', may: [schema, tensor] },
  'engine/runtime': { is: runtime, may: [schema, tensor, '^engine/onnx/', pace] },
  'engine/optim': { is: optim, may: [schema, tensor] },
  'engine/text': { is: text, may: [schema] },
  'engine/data': { is: data, may: [schema, random, answers] },
  'engine/sandbox': { is: sandbox, may: [schema, watchdog] },
  'engine/random': { is: random, may: [schema] },
  'engine/answers': { is: answers, may: [schema] },
  'engine/worlds': { is: worlds, may: [schema, random, answers, sandbox] },
  'engine/models': { is: models, may: [schema, tensor, text, random, pace] },
  'engine/rewards': { is: rewards, may: [schema, models, text, worlds, random, answers, sandbox, evaluate] },
  'engine/evaluate': { is: evaluate, may: [schema, random] },
  'engine/rl/kernel': { is: rl.kernel, may: [schema, tensor, random, evaluate] },
  'engine/rl/tasks': { is: rl.tasks, may: [schema, text, data, random, worlds, rewards, pace, rl.kernel] },
  'engine/rl/compute': {
    is: rl.compute,
    may: [schema, tensor, optim, models, text, random, runtime, worlds, pace, rl.kernel],
  },
  'engine/rl/parts': { is: rl.parts, may: [schema, tensor, random, answers, pace, rl.kernel] },
  'engine/rl/methods': { is: rl.methods, may: [schema, rl.kernel, rl.parts] },
  'engine/rl/controllers': { is: rl.controllers, may: [schema, random, rl.kernel, rl.parts] },
  'engine/rl/evaluation': { is: rl.evaluation, may: [...below, rl.kernel, rl.parts, rl.tasks, rl.compute] },
  'engine/rl/run': { is: rl.run, may: [...below, ...Object.values(rl)] },
  'engine/rl/tools': { is: '^engine/rl/tools/', may: [...below, ...Object.values(rl)] },
  'engine/rl/proof': { is: '^engine/rl/proof/', may: [...below, ...Object.values(rl)] },
  engine: { is: '^engine/[^/]+\\.ts$', may: ['^engine/'] },
  main: { is: '^main/', may: [schema, watchdog, '^engine/index\\.ts$', contract] },
  preload: { is: '^preload/[^/]+\\.ts$', may: [contract] },
  'preload/contract': { is: contract, may: [schema] },
  'renderer/lib': { is: lib, may: [schema, contract] },
  'renderer/widgets': { is: widgets, may: [schema, contract, lib] },
  'renderer/charts': { is: charts, may: [schema, contract, lib, widgets] },
  'renderer/features': { is: features, may: [schema, contract, lib, widgets, charts] },
  'renderer/views': { is: '^renderer/views/', may: [schema, contract, lib, widgets, charts, features] },
  renderer: { is: '^renderer/[^/]+$', may: [schema, contract, '^renderer/'] },
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
      comment: 'Main imports engine/index.ts in its own process, where a graph must never run.',
      severity: 'error',
      from: { path: '^engine/index\\.ts$' },
      to: { path: '^engine/runtime/', reachable: true },
    },
    {
      name: 'the engine process is spawned, never imported',
      severity: 'error',
      from: { path: ours },
      to: { path: '^engine/process\\.ts$' },
    },
    {
      name: 'the sandbox process is spawned, never imported',
      severity: 'error',
      from: { path: ours, pathNot: '^engine/sandbox/process\\.ts$' },
      to: { path: '^engine/sandbox/(process|javascript|sqlite)\\.ts$' },
    },
    {
      name: 'electron stays in the shell',
      severity: 'error',
      from: {
        path: ours,
        pathNot: '^(main/(app|windows|menu|desktop/[^/]+)|preload/index|tests/app/.+)\\.ts$',
      },
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
      from: { path: '^(renderer/(?!vite\\.config)|preload/contract/|engine/schema/)' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'what ships needs no development package',
      comment: 'build.ts and start.ts are tools of a checkout; electron is the shell itself.',
      severity: 'error',
      from: { path: '^(engine|main|preload)/', pathNot: '^main/(build|start)\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '(^|/)electron(/|$)' },
    },
    {
      name: 'pages load no schema',
      comment:
        'zod compiles its checks with Function, which the content security policy of pages forbids: pages ' +
        'import types of schemas, and values of these files alone.',
      severity: 'error',
      from: { path: '^renderer/(?!vite\\.config)' },
      to: {
        path: '^(engine/schema|preload/contract)/|(^|/)zod(/|$)',
        pathNot: schemaless,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'what pages load of the contract is no schema',
      severity: 'error',
      from: { path: schemaless },
      to: {
        path: '^(engine/schema|preload/contract)/|(^|/)zod(/|$)',
        pathNot: schemaless,
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
    exclude: { path: '^(dist|release)/' },
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
