import type { Column, Port } from './columns.ts';
import type { Objective } from './objective.ts';
import type { Rows } from './stage.ts';

/** Versions of a role's own model that every role can ask for: the one that the run began with. */
export const snapshots = ['initial'] as const;
export type Snapshot = (typeof snapshots)[number];

/** A head of its own: a scoring one may have several labels. */
export interface RoleHead {
  readonly kind: 'next-token' | 'reward';
  readonly labels?: number;
}

/**
 * A model with its rows and its objective. Without an objective it is frozen: a target, a teacher, a sampler.
 */
export interface Role<Has extends Column = Column, Asks extends Port = Port> extends Rows<Has, Asks> {
  readonly objective?: Objective;
  /**
   * What the role's model computes, where that is not what the run's own model does: a critic scores beside a
   * policy that writes.
   */
  readonly head?: RoleHead;
  /** Each batch of rows is learned from anew, beginning with the model that the run began with. */
  readonly restarts?: boolean;
  /** Passes over one batch of rows (PPO's epochs); each is one update. 1 where absent. */
  readonly epochs?: number;
}
/** The newest rows of one role, appended when its turn ends: whoever reads them sees earlier turns only. */
export interface Buffer<Of extends string = string> {
  readonly of: Of;
  readonly last: number;
  /** Holds the rows of the latest turn alone. */
  readonly fresh: boolean;
}
/**
 * Who takes turns, in this order: how many batches of rows each makes and learns from. 0 makes one batch and
 * learns nothing.
 */
export interface Phase<Name extends string = string> {
  /** Absent: until the budget is spent. */
  readonly rounds?: number;
  readonly turns: { readonly [N in Name]?: number };
}
type Roles = { readonly [name: string]: Role };
type Buffers<Name> = { readonly [name: string]: Buffer<Name & string> };

export interface Recipe {
  readonly roles: Roles;
  readonly buffers: Buffers<string>;
  readonly schedule: readonly Phase[];
}

/** The role whose model a run is about: it is evaluated, and saved as the run's own. */
export const mainOf = ({ roles }: Recipe): string => ('policy' in roles ? 'policy' : Object.keys(roles)[0]);

/**
 * Seen in compile errors only: the objective reads a column that no stage adds; a role asks for what is not
 * declared.
 */
export interface NoStageAdds<Missing> {
  readonly missing: Missing;
}
export interface NotDeclared<Missing> {
  readonly missing: Missing;
}

interface RolePlan<Has extends Column, Asks extends Port, N extends Column> {
  readonly rows: Rows<Has, Asks>;
  readonly epochs?: number;
  readonly head?: RoleHead;
  readonly restarts?: boolean;
  readonly objective: Objective<N> &
    ([Exclude<N, Has>] extends [never] ? unknown : NoStageAdds<Exclude<N, Has>>);
}
export const role = <Has extends Column, Asks extends Port, N extends Column>({
  rows,
  ...rest
}: RolePlan<Has, Asks, N>): Role<Has, Asks> => ({ ...rows, ...rest });

/** A role whose model has a scoring head: it values what another role writes. */
export const critic = <Has extends Column, Asks extends Port, N extends Column>(
  plan: RolePlan<Has, Asks, N>,
): Role<Has, Asks> => role({ ...plan, head: { kind: 'reward' } });

/** A model that does not learn; it may still make rows, for a buffer or to be kept. */
export function frozen(): Role<never, never>;
export function frozen<Has extends Column, Asks extends Port>(rows: Rows<Has, Asks>): Role<Has, Asks>;
export function frozen(rows: Rows = { stages: [], has: [], asks: [] }): Role {
  return rows;
}

export const rowsOf = <const Name extends string>(
  of: Name,
  { last = Infinity, fresh = false } = {},
): Buffer<Name> => ({ of, last, fresh });

/** The common case: one role, `policy`, and no buffers. */
export const train = <Has extends Column, Asks extends `model/${Snapshot | 'policy'}`, N extends Column>({
  rounds,
  ...plan
}: RolePlan<Has, Asks, N> & {
  /** Absent: until the budget is spent. */
  readonly rounds?: number;
}): Recipe => ({ roles: { policy: role(plan) }, buffers: {}, schedule: [{ rounds, turns: { policy: 1 } }] });

/** Rows only: one role that makes batches to be kept, and learns nothing. */
export const collect = <Has extends Column, Asks extends `model/${Snapshot}`>(
  rows: Rows<Has, Asks>,
): Recipe => ({ roles: { policy: frozen(rows) }, buffers: {}, schedule: [{ turns: { policy: 0 } }] });

type HasOf<R> = R extends { readonly has: readonly (infer H extends Column)[] } ? H : never;
type AsksOf<R> = R extends { readonly asks: readonly (infer A)[] } ? A : never;
type Offered<R, B> =
  | `model/${Snapshot | (keyof R & string)}`
  | {
      [K in keyof B & string]: B[K] extends Buffer<infer Of>
        ? `buffer/${K}/${HasOf<R[Of & keyof R]>}`
        : never;
    }[keyof B & string];
type Declared<R, B> = {
  [K in keyof R]: [Exclude<AsksOf<R[K]>, Offered<R, B>>] extends [never]
    ? R[K]
    : NotDeclared<Exclude<AsksOf<R[K]>, Offered<R, B>>>;
};

/** Several roles, the buffers between them, and who learns when. */
export const coTrain = <R extends Roles, B extends Buffers<keyof R>>(plan: {
  readonly buffers: B;
  readonly roles: R extends Declared<R, B> ? R : Declared<R, B>;
  readonly schedule: readonly Phase<keyof R & string>[];
}): Recipe => plan as Recipe;
