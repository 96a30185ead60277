import { join } from 'node:path';
import { behaviourCases } from './behaviour-cases.ts';
import { doctorCases } from './doctor-cases.ts';
import { runDoctorCases } from './run-doctor-cases.ts';
import { derivingCases } from './deriving-cases.ts';
import { suiteCases } from './suite-cases.ts';
import { insideCases } from './inside-cases.ts';
import { inspectionCases } from './inspection-cases.ts';
import { judgeMapCases } from './judge-map-cases.ts';
import { labelCases } from './label-cases.ts';
import type { Case, Cases, World } from './case-types.ts';
import { logCases } from './log-cases.ts';
import { planCases } from './plan-cases.ts';
import { galleryCases, redTeamCases } from './probing-cases.ts';
import { queueCases } from './queue-cases.ts';
import { verdictCases } from './verdict-cases.ts';

export type { Case, Cases, World };

const tooMuch = () => ({ input: { surplus: 1 }, kind: 'invalid-input' }) as const;
const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;
const wrong = (input: unknown) => () => ({ input, kind: 'invalid-input' }) as const;
const none = () => ({});

export const cases: Cases = {
  workspaces: {
    current: { valid: none, invalid: tooMuch },
    create: {
      valid: (w) => ({ path: join(w.folder, 'made') }),
      invalid: (w) => ({ input: { path: join(w.folder, 'workspace') }, kind: 'conflict' }),
    },
    open: {
      valid: (w) => ({ path: join(w.folder, 'workspace') }),
      invalid: (w) => ({ input: { path: join(w.folder, 'nowhere') }, kind: 'not-found' }),
    },
    recent: { valid: none, invalid: tooMuch },
    defaultFolder: { valid: none, invalid: tooMuch },
    samples: { valid: none, invalid: tooMuch },
    openSamples: { valid: none, invalid: tooMuch },
    backup: {
      valid: (w) => ({ path: join(w.folder, 'copy') }),
      invalid: (w) => ({ input: { path: join(w.folder, 'workspace', 'inside') }, kind: 'invalid-input' }),
    },
    rename: { valid: () => ({ name: 'renamed' }), invalid: wrong({ name: '' }) },
    usage: { valid: none, invalid: tooMuch },
    collect: { valid: none, invalid: tooMuch },
  },
  datasets: {
    preview: {
      valid: (w) => ({ path: w.file }),
      invalid: (w) => ({ input: { path: join(w.folder, 'nowhere.jsonl') }, kind: 'not-found' }),
    },
    columns: {
      valid: (w) => ({ path: w.file }),
      invalid: (w) => ({ input: { path: join(w.folder, 'nowhere.jsonl') }, kind: 'not-found' }),
    },
    import: {
      valid: (w) => ({ path: w.file }),
      invalid: (w) => ({ input: { path: join(w.folder, 'nowhere.jsonl') }, kind: 'not-found' }),
    },
    upload: {
      valid: () => ({ name: '../up.jsonl', bytes: Uint8Array.of(123, 125) }),
      invalid: wrong({ name: 'up.jsonl', bytes: 'text' }),
    },
    list: { valid: none, invalid: tooMuch },
    get: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    rows: {
      valid: (w) => ({ id: w.datasetId, offset: 0, limit: 5, search: 'answer', show: 'correct' }),
      invalid: (w) => ({ input: { id: w.datasetId, offset: -1, limit: 5 }, kind: 'invalid-input' }),
    },
    prompt: {
      valid: (w) => ({ id: w.datasetId, promptId: 'prompt-1' }),
      invalid: absent({ id: 'nobody', promptId: 'x' }),
    },
    rejected: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    rename: {
      valid: (w) => ({ id: w.datasetId, name: 'renamed' }),
      invalid: absent({ id: 'nobody', name: 'x' }),
    },
    remove: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
  },
  rows: {
    page: {
      valid: (w) => ({
        id: w.datasetId,
        query: 'answer right -length>400',
        sort: { column: 'length', descending: true },
        offset: 0,
        limit: 5,
      }),
      invalid: (w) => ({
        input: { id: w.datasetId, query: 'colour:red', offset: 0, limit: 5 },
        kind: 'invalid-input',
      }),
    },
    facets: {
      valid: (w) => ({ id: w.datasetId, query: 'right OR wrong' }),
      invalid: absent({ id: 'nobody', query: '' }),
    },
    map: {
      valid: (w) => ({ id: w.datasetId, query: 'right', colour: 'mark' }),
      invalid: absent({ id: 'nobody', query: '' }),
    },
  },
  sql: {
    columns: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    run: {
      valid: (w) => ({ id: w.datasetId, sql: 'select count(*) from rows' }),
      invalid: (w) => ({ input: { id: w.datasetId, sql: 'drop table rows' }, kind: 'invalid-input' }),
    },
  },
  curation: {
    change: {
      valid: (w) => ({
        id: w.datasetId,
        target: { query: '' },
        change: { kind: 'edit', column: 'level', value: 3 },
        author: 'me',
      }),
      invalid: (w) => ({
        input: { id: w.datasetId, target: { rows: [0] }, change: { kind: 'tag', value: '' } },
        kind: 'invalid-input',
      }),
    },
    undo: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    redo: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    settle: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    add: {
      valid: (w) => ({ id: w.datasetId, row: { prompt: 'q', answer: 'a' } }),
      invalid: absent({ id: 'nobody', row: { prompt: 'q', answer: 'a' } }),
    },
    history: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    row: { valid: (w) => ({ id: w.datasetId, row: 0 }), invalid: absent({ id: 'nobody', row: 0 }) },
  },
  versions: {
    save: {
      valid: (w) => ({ id: w.datasetId, name: 'new' }),
      invalid: absent({ id: 'nobody', name: 'new' }),
    },
    list: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    rebuild: {
      valid: (w) => ({ id: w.datasetId, name: 'saved' }),
      invalid: (w) => ({ input: { id: w.datasetId, name: 'none' }, kind: 'not-found' }),
    },
    diff: {
      valid: (w) => ({ id: w.datasetId, from: 'saved' }),
      invalid: (w) => ({ input: { id: w.datasetId, from: 'none' }, kind: 'not-found' }),
    },
  },
  ...doctorCases,
  ...runDoctorCases,
  ...queueCases,
  ...planCases,
  ...derivingCases,
  ...labelCases,
  logs: logCases,
  exports: {
    formats: { valid: none, invalid: tooMuch },
    write: {
      valid: (w) => ({
        from: { kind: 'dataset', id: w.datasetId },
        format: 'csv',
        path: join(w.folder, 'rows.csv'),
      }),
      invalid: (w) => ({
        input: { from: { kind: 'dataset', id: 'nobody' }, format: 'csv', path: join(w.folder, 'x') },
        kind: 'not-found',
      }),
    },
  },
  models: {
    add: { valid: (w) => ({ path: w.folder }), invalid: wrong({ path: '' }), refusedByStandIn: true },
    list: { valid: none, invalid: tooMuch },
    get: { valid: (w) => ({ id: w.modelId }), invalid: absent({ id: 'nobody' }) },
    describeCheckpoint: {
      valid: (w) => ({ checkpointId: w.checkpointId }),
      invalid: absent({ checkpointId: 'nobody' }),
      refusedByStandIn: true,
    },
    try: {
      valid: (w) => ({ from: { kind: 'model', id: w.modelId }, prompt: 'q' }),
      invalid: absent({ from: { kind: 'checkpoint', id: 'nobody' }, prompt: 'q' }),
      refusedByStandIn: true,
    },
    export: {
      valid: (w) => ({ from: { kind: 'model', id: w.modelId }, to: w.folder }),
      invalid: wrong({ from: { kind: 'model', id: 'x' }, to: 'somewhere' }),
      refusedByStandIn: true,
    },
    rename: {
      valid: (w) => ({ id: w.modelId, name: 'renamed' }),
      invalid: absent({ id: 'nobody', name: 'x' }),
    },
    remove: { valid: (w) => ({ id: w.modelId }), invalid: absent({ id: 'nobody' }) },
  },
  methods: {
    atlas: { valid: none, invalid: tooMuch },
    systems: { valid: none, invalid: tooMuch },
    runToy: {
      valid: () => ({ id: 'sft', seed: 1 }),
      invalid: wrong({ id: 'sft', seed: -1 }),
      refusedByStandIn: true,
    },
    worldSample: {
      valid: () => ({ world: { id: 'grid' } }),
      invalid: wrong({ world: { id: 'grid' }, index: -1 }),
      refusedByStandIn: true,
    },
  },
  samples: {
    page: {
      valid: (w) => ({ runIds: [w.sampledRunId], query: 'reward>0', sort: { by: 'step', descending: true } }),
      invalid: (w) => ({ input: { runIds: [w.sampledRunId], query: 'no-column>1' }, kind: 'invalid-input' }),
    },
    facets: { valid: (w) => ({ runIds: [w.sampledRunId] }), invalid: absent({ runIds: ['nobody'] }) },
    pending: { valid: (w) => ({ runIds: [w.sampledRunId] }), invalid: wrong({ runIds: [] }) },
    tokens: {
      valid: (w) => ({ id: `t-${w.sampledRunId}`, checkpointId: w.checkpointId }),
      invalid: absent({ id: 'nobody' }),
      refusedByStandIn: true,
    },
    index: {
      valid: (w) => ({ runIds: [w.sampledRunId], texts: true }),
      invalid: absent({ runIds: ['nobody'] }),
    },
  },
  runs: {
    catalogue: { valid: none, invalid: tooMuch },
    check: {
      valid: (w) => ({ spec: w.spec }),
      invalid: wrong({ spec: { method: { id: 'no-such-method' } } }),
    },
    preflight: {
      valid: (w) => ({ spec: w.spec }),
      invalid: wrong({ spec: { method: { id: 'sft' }, optimizer: { learningRate: -1 } } }),
    },
    launch: {
      valid: (w) => ({ spec: w.spec }),
      invalid: wrong({ spec: { method: { id: 'sft' }, optimizer: { learningRate: -1 } } }),
    },
    fork: {
      valid: (w) => ({ checkpointId: w.checkpointId, spec: w.spec }),
      invalid: (w) => ({ input: { checkpointId: 'nobody', spec: w.spec }, kind: 'not-found' }),
    },
    list: { valid: none, invalid: wrong({ archived: 'yes' }) },
    get: { valid: (w) => ({ id: w.runId }), invalid: absent({ id: 'nobody' }) },
    stop: { valid: (w) => ({ id: w.otherRunId }), invalid: absent({ id: 'nobody' }) },
    resume: {
      valid: (w) => ({ id: w.otherRunId }),
      invalid: (w) => ({ input: { id: w.runId }, kind: 'conflict' }),
    },
    edit: {
      valid: (w) => ({ id: w.runId, notes: 'seen', tags: ['a'] }),
      invalid: absent({ id: 'nobody', name: 'x' }),
    },
    archive: {
      valid: (w) => ({ id: w.runId, archived: true }),
      invalid: absent({ id: 'nobody', archived: true }),
    },
    remove: { valid: (w) => ({ id: w.runId }), invalid: absent({ id: 'nobody' }) },
    metricNames: { valid: (w) => ({ runIds: [w.runId] }), invalid: wrong({ runIds: [] }) },
    metrics: {
      valid: (w) => ({ runIds: [w.runId], names: ['loss'] }),
      invalid: (w) => ({ input: { runIds: [w.runId], names: ['loss'], points: 1 }, kind: 'invalid-input' }),
    },
    samples: {
      valid: (w) => ({ runIds: [w.runId] }),
      invalid: (w) => ({ input: { runIds: [w.runId], order: 'best' }, kind: 'invalid-input' }),
    },
    commonPrompts: { valid: (w) => ({ runIds: [w.runId] }), invalid: wrong({ runIds: [] }) },
    difference: { valid: (w) => ({ id: w.runId }), invalid: absent({ id: 'nobody' }) },
    results: { valid: (w) => ({ id: w.rewardRunId }), invalid: absent({ id: 'nobody' }) },
    checkpoints: { valid: (w) => ({ runId: w.runId }), invalid: tooMuch },
    keepCheckpoint: {
      valid: (w) => ({ id: w.checkpointId, kept: true }),
      invalid: absent({ id: 'nobody', kept: true }),
    },
    removeCheckpoint: { valid: (w) => ({ id: w.checkpointId }), invalid: absent({ id: 'nobody' }) },
    live: { valid: (w) => ({ runId: w.runId }), invalid: absent({ runId: 'nobody' }) },
    watch: { valid: none, invalid: tooMuch },
  },
  rewards: {
    inspect: {
      valid: (w) => ({ runId: w.rewardRunId }),
      invalid: (w) => ({ input: { runId: w.runId }, kind: 'not-found' }),
    },
    rescore: {
      valid: (w) => ({ runId: w.sampledRunId, rewards: [{ id: 'length' }] }),
      invalid: absent({ runId: 'nobody', rewards: [{ id: 'length' }] }),
      refusedByStandIn: true,
    },
    trySnippet: {
      valid: () => ({ code: '() => 1', task: { kind: 'world', id: 'arithmetic' } }),
      invalid: absent({ code: '1', task: { kind: 'dataset', datasetId: 'nobody' } }),
      refusedByStandIn: true,
    },
    score: {
      valid: (w) => ({ from: { kind: 'run', id: w.rewardRunId }, items: [{ prompt: 'q', completion: 'a' }] }),
      invalid: (w) => ({
        input: { from: { kind: 'run', id: w.rewardRunId }, items: [] },
        kind: 'invalid-input',
      }),
      refusedByStandIn: true,
    },
  },
  inspections: inspectionCases,
  compare: {
    conclude: {
      valid: (w) => ({ runIds: [w.runId, w.rewardRunId], baseline: w.runId, folded: true }),
      invalid: absent({ runIds: ['nobody'] }),
    },
    problems: {
      valid: (w) => ({ runIds: [w.runId], differing: true }),
      invalid: absent({ runIds: ['nobody'] }),
    },
    overview: {
      valid: (w) => ({ runIds: [w.runId, w.rewardRunId] }),
      invalid: absent({ runIds: ['nobody'] }),
    },
    report: {
      valid: (w) => ({ runIds: [w.runId, w.rewardRunId], path: join(w.folder, 'report.html') }),
      invalid: absent({ runIds: ['nobody'] }),
    },
  },
  gallery: galleryCases,
  redTeam: redTeamCases,
  behaviours: behaviourCases,
  runLog: { of: { valid: (w) => ({ id: w.runId }), invalid: absent({ id: 'nobody' }) } },
  travel: {
    prompts: {
      valid: (w) => ({ runIds: [w.sampledRunId], search: 'a' }),
      invalid: absent({ runIds: ['nobody'] }),
    },
    answers: {
      valid: (w) => ({ runIds: [w.sampledRunId, w.runId], promptId: 'p' }),
      invalid: (w) => ({ input: { runIds: [w.runId], promptId: '' }, kind: 'invalid-input' }),
    },
  },
  explore: {
    table: {
      valid: (w) => ({ runIds: [w.runId, w.rewardRunId], metrics: ['loss'] }),
      invalid: absent({ runIds: ['nobody'] }),
    },
  },
  overoptimization: {
    ofRun: { valid: (w) => ({ runId: w.runId }), invalid: absent({ runId: 'nobody' }) },
  },
  verdicts: verdictCases,
  startStates: {
    ofRun: { valid: (w) => ({ runId: w.runId }), invalid: absent({ runId: 'nobody' }) },
  },
  inside: insideCases,
  suites: suiteCases,
  judgeMaps: judgeMapCases,
  probes: {
    stored: { valid: (w) => ({ runId: w.rewardRunId }), invalid: absent({ runId: 'nobody' }) },
    run: {
      valid: (w) => ({ runId: w.rewardRunId }),
      invalid: absent({ runId: 'nobody' }),
      refusedByStandIn: true,
    },
  },
  headToHead: {
    create: {
      valid: (w) => ({ runIds: [w.runId, w.rewardRunId] }),
      invalid: (w) => ({ input: { runIds: [w.runId, w.runId] }, kind: 'invalid-input' }),
    },
    list: { valid: (w) => ({ runIds: [w.runId, w.rewardRunId] }), invalid: wrong({ runIds: [] }) },
    table: {
      valid: (w) => ({ setId: w.duelId }),
      invalid: (w) => ({ input: { setId: w.setId }, kind: 'invalid-input' }),
    },
  },
  demo: {
    start: { valid: none, invalid: wrong({ seed: -1 }) },
    stop: { valid: none, invalid: tooMuch },
    watch: { valid: none, invalid: tooMuch },
  },
  system: {
    info: { valid: none, invalid: tooMuch },
    devices: { valid: none, invalid: tooMuch },
    checkDevice: { valid: () => ({ id: 'cpu' }), invalid: wrong({ id: 'abacus' } as never) },
    selfTest: {
      valid: () => ({ device: 'cpu' }),
      invalid: wrong({ device: 'abacus' } as never),
      refusedByStandIn: true,
    },
    installProvider: {
      valid: () => ({ id: 'cuda', source: '/nowhere' }),
      invalid: wrong({ id: 'abacus', source: '' } as never),
    },
    engine: { valid: none, invalid: tooMuch },
    settings: { valid: none, invalid: tooMuch },
    setSetting: { valid: () => ({ key: 'theme', value: 'dark' }), invalid: wrong({ key: '', value: 1 }) },
    choosePath: {
      valid: () => ({ kind: 'file', title: 'Choose' }),
      invalid: wrong({ kind: 'planet', title: '' }),
    },
  },
};
