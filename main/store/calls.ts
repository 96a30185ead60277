import type { StoreModules } from './modules.ts';

/**
 * Who answers a call, and how.
 * `short`: the writer, at once. It touches a bounded number of rows, found by an index.
 * `sliced`: the writer, in slices between which short calls are answered.
 * `read`: a thread that only reads: searches, lists, curves.
 * `bulk`: another one that only reads, for what goes through all there is: exports, copies.
 * `within`: no call; a step of another one's transaction.
 */
export type CallClass = 'short' | 'sliced' | 'read' | 'bulk' | 'within';

/** The class of every call: one that is missing here does not compile. */
export const callClasses = {
  workspace: {
    facts: 'short',
    rename: 'short',
    databaseBytes: 'short',
    backup: 'bulk',
    unreferenced: 'read',
  },
  datasets: {
    get: 'short',
    list: 'read',
    stage: 'short',
    append: 'sliced',
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
  labelSets: {
    get: 'short',
    list: 'read',
    create: 'sliced',
    rename: 'short',
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
    recent: 'short',
    history: 'short',
  },
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
  samples: { append: 'within', appendScores: 'short', query: 'read', commonPrompts: 'read', tokens: 'read' },
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
