import type { StoreModules } from './modules.ts';

/**
 * The thread and scheduling of a call.
 * `short`: the writer, at once. Touches a bounded number of rows, found by an index.
 * `sliced`: the writer, in slices between which short calls run.
 * `read`: the read-only thread for searches, lists and curves.
 * `bulk`: the read-only thread for full scans: exports, copies.
 * `background`: the thread for checkpoints of the log.
 * `within`: not callable; a step of another call's transaction.
 */
export type CallClass = 'short' | 'sliced' | 'read' | 'bulk' | 'background' | 'within';

/** The class of every call; a missing one is a type error. */
export const callClasses = {
  workspace: {
    facts: 'short',
    rename: 'short',
    databaseBytes: 'short',
    backup: 'bulk',
    checkpoint: 'background',
    unreferenced: 'read',
  },
  datasets: {
    get: 'short',
    list: 'read',
    stage: 'short',
    append: 'sliced',
    appendPacked: 'sliced',
    finish: 'short',
    discard: 'short',
    rows: 'read',
    prompt: 'read',
    rejected: 'read',
    rename: 'short',
    remove: 'short',
    exportDemonstrations: 'bulk',
    exportPreferences: 'bulk',
  },
  exporting: { rows: 'bulk', prompts: 'bulk', labels: 'bulk' },
  judgedAnswers: { page: 'bulk' },
  rows: { page: 'read', facets: 'read' },
  curation: {
    select: 'read',
    mark: 'short',
    settle: 'sliced',
    begin: 'short',
    editRows: 'sliced',
    finish: 'short',
    abandon: 'sliced',
    startStep: 'short',
    repeat: 'sliced',
    add: 'short',
    event: 'short',
    history: 'read',
    row: 'read',
  },
  versions: { content: 'bulk', save: 'short', get: 'short', list: 'read', diff: 'bulk' },
  labelSets: {
    get: 'short',
    list: 'read',
    create: 'sliced',
    rename: 'short',
    setOptions: 'short',
    remove: 'short',
    pairs: 'read',
    labeled: 'read',
    exportPreferences: 'bulk',
  },
  labels: {
    progress: 'short',
    pair: 'short',
    queue: 'short',
    decide: 'short',
    decideMany: 'short',
    undo: 'short',
    redo: 'short',
    recent: 'short',
    labelers: 'short',
    reference: 'short',
    history: 'short',
  },
  labelReview: { page: 'read' },
  labelBulk: { find: 'read', items: 'read', decide: 'sliced', undo: 'sliced' },
  labelImport: { plan: 'bulk', store: 'sliced' },
  labelUsage: { ofSet: 'read' },
  models: {
    find: 'short',
    get: 'short',
    list: 'read',
    files: 'short',
    setFiles: 'short',
    add: 'short',
    rename: 'short',
    remove: 'short',
  },
  runs: {
    get: 'short',
    list: 'read',
    compared: 'short',
    create: 'short',
    inputs: 'short',
    edit: 'short',
    archive: 'short',
    remove: 'short',
    nextQueued: 'short',
    enqueue: 'short',
    stop: 'short',
    beginAttempt: 'short',
    setState: 'short',
    interruptLeftovers: 'short',
  },
  metrics: { append: 'within', names: 'read', series: 'read' },
  samples: {
    append: 'within',
    appendScores: 'short',
    query: 'read',
    commonPrompts: 'read',
    tokens: 'read',
    problemScores: 'read',
  },
  checkpoints: {
    get: 'short',
    list: 'read',
    append: 'within',
    prune: 'short',
    keep: 'short',
    remove: 'short',
  },
  results: { append: 'within', list: 'read', newest: 'read' },
  events: { commit: 'sliced' },
} as const satisfies {
  readonly [M in keyof StoreModules]: { readonly [Q in keyof StoreModules[M]]: CallClass };
};

const table: { readonly [module: string]: { readonly [query: string]: CallClass } } = callClasses;

export const classOf = (module: string, query: string): CallClass | null =>
  Object.hasOwn(table, module) && Object.hasOwn(table[module], query) ? table[module][query] : null;
