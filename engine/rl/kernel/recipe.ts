import type { Column, Port } from './columns.ts';
import type { Objective } from './objective.ts';
import type { ReplayPlan } from './replay.ts';
import type { Rows } from './stage.ts';

/**
 * Earlier versions of the main role's model available to every role: at the start of the run; before the
 * latest batch that it learned from; a running average, which `Recipe.averaging` defines.
 */
export const snapshots = ['initial', 'previous', 'average'] as const;
export type Snapshot = (typeof snapshots)[number];

/**
 * The snapshot `average` after each update of the main role: `decay` · average + (1 − decay) · current, or a
 * copy of the current parameters after `every` so many updates.
 */
export type Averaging = { readonly decay: number } | { readonly every: number };

/** A separate head: a scoring one may have several labels. */
export interface RoleHead {
  readonly kind: 'next-token' | 'reward';
  readonly labels?: number;
}

/** How a role writes verdicts: words, and the mark behind an answer, once for each verdict that is due. */
export interface VerdictWords {
  readonly right: string;
  readonly wrong: string;
  readonly cue: string;
}

/**
 * A model with its rows and its objective. Without an objective it is frozen: a target, a teacher, a
 * sampler.
 */
export interface Role<Has extends Column = Column, Ports extends Port = Port> extends Rows<Has, Ports> {
  readonly objective?: Objective;
  /**
   * The head of the role's model, if it differs from the run's own: a critic scores while the policy
   * generates.
   */
  readonly head?: RoleHead;
  /**
   * True if the run must name a model for it, because a copy of the policy would have no purpose: a teacher.
   */
  readonly ownModel?: boolean;
  /** For a verifier that writes a verdict per line and one on the whole: evaluations ask it for them. */
  readonly verdicts?: VerdictWords;
  /** Trains from the initial model again on each batch of rows. */
  readonly restarts?: boolean;
  /** Epochs over one batch of rows (as in PPO); each is one update. 1 by default. */
  readonly epochs?: number;
  /**
   * Parts of equal size of a batch's rows, in random order, each of which is one update of an epoch; 1 by
   * default.
   */
  readonly minibatches?: number;
}
/** The newest rows of one role, appended when its phase ends: readers see earlier phases only. */
export interface Buffer<Of extends string = string> {
  readonly of: Of;
  readonly last: number;
  /** Holds only the rows of the latest phase. */
  readonly fresh: boolean;
  /** Holds all sampled rows, as they were before the first selection, instead of those learned from. */
  readonly unselected?: boolean;
  /** Columns that are kept for the end of the run, besides the scores; absent: every column is. */
  readonly keeps?: readonly Column[];
  /** Keeps rows by priority and age instead, with the columns of a replay. */
  readonly replay?: ReplayPlan;
  /** Holds the `last` rows in a ring (`Ring`), which must have one length. */
  readonly ring?: boolean;
}
/**
 * A role's phase in the schedule: the number of batches it samples and trains on. 0 makes one batch without
 * training.
 */
export interface Phase<Name extends string = string> {
  /** Absent: until the budget is spent. */
  readonly rounds?: number;
  readonly turns: { readonly [N in Name]?: number };
}
/** Updates of a role on one batch of its rows. */
export const updatesOf = ({ epochs = 1, minibatches = 1 }: Pick<Role, 'epochs' | 'minibatches'>): number =>
  epochs * minibatches;

type Roles = { readonly [name: string]: Role };
type Buffers<Name> = { readonly [name: string]: Buffer<Name & string> };

export interface Recipe {
  readonly roles: Roles;
  readonly buffers: Buffers<string>;
  readonly schedule: readonly Phase[];
  /** Needed if a stage refers to the snapshot `average`. */
  readonly averaging?: Averaging;
}

/** The role whose model is the run's result: it is evaluated and saved. */
export const mainOf = ({ roles }: Recipe): string => ('policy' in roles ? 'policy' : Object.keys(roles)[0]);

/** True for a role that is not updated: its objective is solved at once, and only a head is written. */
export const fitsHead = ({ objective }: Role): boolean =>
  objective?.fit !== undefined && objective.terms.length === 0;

/**
 * Appears only in compile errors: the objective reads a column that no stage adds, or a role needs something
 * undeclared.
 */
export interface NoStageAdds<Missing> {
  readonly missing: Missing;
}
export interface NotDeclared<Missing> {
  readonly missing: Missing;
}

/** True if a role samples rows from its own model. */
export const samplesRows = ({ has }: Pick<Role, 'has'>): boolean => has.includes('behaviorLogp');

/** True if a role's rows begin with those of the task; its source may ask models. */
export const drawsFromTask = ({ stages: [first] }: Pick<Role, 'stages'>): boolean =>
  first !== undefined && first.needs.every((need) => need.startsWith('model/'));

interface RolePlan<Has extends Column, Ports extends Port, N extends Column> {
  readonly rows: Rows<Has, Ports>;
  readonly epochs?: number;
  readonly minibatches?: number;
  readonly head?: RoleHead;
  readonly verdicts?: VerdictWords;
  readonly restarts?: boolean;
  readonly objective: Objective<N> &
    ([Exclude<N, Has>] extends [never] ? unknown : NoStageAdds<Exclude<N, Has>>);
}
export const role = <Has extends Column, Ports extends Port, N extends Column>({
  rows,
  ...rest
}: RolePlan<Has, Ports, N>): Role<Has, Ports> => ({ ...rows, ...rest });

/** A role whose model has a scoring head: it values the rows of another role. */
export const critic = <Has extends Column, Ports extends Port, N extends Column>(
  plan: RolePlan<Has, Ports, N>,
): Role<Has, Ports> => role({ ...plan, head: { kind: 'reward' } });

/** A model without training; it may still make rows, for a buffer or to be kept. */
export function frozen(): Role<never, never>;
export function frozen<Has extends Column, Ports extends Port>(rows: Rows<Has, Ports>): Role<Has, Ports>;
export function frozen(rows: Rows = { stages: [], has: [], ports: [] }): Role {
  return rows;
}

/** A frozen model that the run names: its log-probabilities or answers guide other roles. */
export const teacher = (): Role<never, never> => ({ ...frozen(), ownModel: true });

export const rowsOf = <const Name extends string>(
  of: Name,
  { last = Infinity, fresh = false }: { readonly last?: number; readonly fresh?: boolean } = {},
): Buffer<Name> => ({ of, last, fresh });

/** The latest turn's rows of a role as they were sampled, before any selection, with these columns. */
export const sampledBy = <const Name extends string>(of: Name, keeps: readonly Column[]): Buffer<Name> => ({
  of,
  last: Infinity,
  fresh: true,
  unselected: true,
  keeps,
});

/** Rows of a role that it learns from again: `part.withReplay` draws them. */
export const replayOf = <const Name extends string>(of: Name, replay: ReplayPlan): Buffer<Name> => ({
  of,
  last: replay.capacity,
  fresh: false,
  replay,
});

/**
 * The newest rows of a role as they were sampled, in a ring: what a batch costs does not grow with their
 * number. `part.drawUniformly` draws them, or `part.drawStored` with what a stage behind it says of
 * `row/priority`.
 */
export const ringOf = <const Name extends string>(
  of: Name,
  { capacity, keeps }: { readonly capacity: number; readonly keeps: readonly Column[] },
): Buffer<Name> => ({ of, last: capacity, fresh: false, unselected: true, keeps, ring: true });

/** The common case: one role, `policy`, and no buffers. */
export const train = <Has extends Column, Ports extends `model/${Snapshot | 'policy'}`, N extends Column>({
  rounds,
  averaging,
  ...plan
}: RolePlan<Has, Ports, N> & {
  /** Absent: until the budget is spent. */
  readonly rounds?: number;
  readonly averaging?: Averaging;
}): Recipe => ({
  roles: { policy: role(plan) },
  buffers: {},
  schedule: [{ rounds, turns: { policy: 1 } }],
  ...(averaging && { averaging }),
});

/** Rows only: one role that samples batches to be kept, and does not train. */
export const collect = <Has extends Column, Ports extends 'model/initial'>(
  rows: Rows<Has, Ports>,
): Recipe => ({ roles: { policy: frozen(rows) }, buffers: {}, schedule: [{ turns: { policy: 0 } }] });

/**
 * What is kept of the answers that a search tries: whole ones to choose from, candidates that grew, or
 * rounds.
 */
export const triedColumns = {
  choose: ['row/problem', 'problem', 'completion', 'row/tokens', 'row/logp', 'row/cross-entropy'],
  guide: ['row/problem', 'problem', 'row/tokens', 'row/size', 'row/pick'],
  rounds: ['row/problem', 'problem', 'row/tokens', 'row/round'],
} as const;
type Tried<Kind extends keyof typeof triedColumns> = (typeof triedColumns)[Kind][number];

/** The same of a search: the answers that it tries are kept to the end of the run, in the buffer `tried`. */
export const searching = <
  const Kind extends keyof typeof triedColumns,
  Has extends Column,
  Ports extends 'model/initial',
>(
  kind: Kind,
  rows: Rows<Has, Ports> &
    ([Exclude<Tried<Kind>, Has>] extends [never] ? unknown : NoStageAdds<Exclude<Tried<Kind>, Has>>),
): Recipe => ({
  ...collect(rows),
  buffers: { tried: { of: 'policy', last: Infinity, fresh: false, keeps: triedColumns[kind] } },
});

type HasOf<R> = R extends { readonly has: readonly (infer H extends Column)[] } ? H : never;
type PortsOf<R> = R extends { readonly ports: readonly (infer P)[] } ? P : never;
type Offered<R, B> =
  | `model/${Snapshot | (keyof R & string)}`
  | {
      [K in keyof B & string]: B[K] extends Buffer<infer Of>
        ? `buffer/${K}/${HasOf<R[Of & keyof R]>}`
        : never;
    }[keyof B & string];
type Declared<R, B> = {
  [K in keyof R]: [Exclude<PortsOf<R[K]>, Offered<R, B>>] extends [never]
    ? R[K]
    : NotDeclared<Exclude<PortsOf<R[K]>, Offered<R, B>>>;
};

/** Several roles, the buffers between them, and their schedule. */
export const coTrain = <R extends Roles, B extends Buffers<keyof R>>(plan: {
  readonly buffers: B;
  readonly roles: R extends Declared<R, B> ? R : Declared<R, B>;
  readonly schedule: readonly Phase<keyof R & string>[];
  readonly averaging?: Averaging;
}): Recipe => plan as Recipe;
