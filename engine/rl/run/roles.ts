/** The models of a run: one for each role, and the initial model. */
import type { TextScorer } from '../../rewards/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { Buffers } from './buffers.ts';
import type { LiveRole, RoleModel } from './live-role.ts';
import { Snapshots } from './snapshots.ts';

interface RoleCounts extends Pick<LiveRole, 'draws' | 'updates'> {
  readonly memory?: { readonly [stage: string]: unknown };
}

interface RolesParts {
  readonly roles: readonly LiveRole[];
  readonly initial: RoleModel;
  readonly buffers: Buffers;
  readonly snapshots?: Snapshots;
  readonly openingBytes: number;
  readonly lengthFit?: TextScorer['lengthFit'];
}

/** The model that a stage or the objective of a role names: its own initial one, a snapshot, or a role's. */
export const referredTo = (roles: Roles, role: Pick<LiveRole, 'initial'>, name: string): RoleModel =>
  (name === 'initial' ? role.initial : undefined) ?? roles.modelOf(name);

export class Roles {
  /** The main role: its model is evaluated and saved. */
  readonly main: LiveRole;
  /** The initial model. */
  readonly initial: RoleModel;
  /** Rows shared between roles. */
  readonly buffers: Buffers;
  /** Earlier versions of the main role's model. */
  readonly snapshots: Snapshots;
  /** Total model bytes during opening, if a model was copied to replace its head; else 0. */
  readonly openingBytes: number;
  /**
   * Fit of a judge's scores over length from its latest evaluation; saved for scorers that correct for
   * length.
   */
  lengthFit: TextScorer['lengthFit'];
  readonly #roles: ReadonlyMap<string, LiveRole>;

  /** Throws `internal` if no role is named `main`. */
  constructor(main: string, { roles, initial, buffers, snapshots, openingBytes, lengthFit }: RolesParts) {
    this.#roles = new Map(roles.map((role) => [role.name, role]));
    this.main = this.named(main);
    this.initial = initial;
    this.buffers = buffers;
    this.snapshots = snapshots ?? new Snapshots(this.main, [], undefined);
    this.openingBytes = openingBytes;
    this.lengthFit = lengthFit;
  }

  get all(): readonly LiveRole[] {
    return [...this.#roles.values()];
  }

  /** The phase of a run while it steps with this role's rows, which is named if several roles train. */
  phaseOf({ name }: Pick<LiveRole, 'name'>): string {
    const trained = this.all.filter(({ role }) => role.objective).length;
    return trained > 1 ? `training ${name}` : trained === 1 ? 'training' : 'sampling';
  }

  /** The role of that name. Throws `internal` if there is none. */
  named(name: string): LiveRole {
    const role = this.#roles.get(name);
    if (!role) throw new WhetstoneError('internal', `The recipe has no role '${name}'.`);
    return role;
  }

  /**
   * The model that a stage refers to: a snapshot, or a role's current one. Throws `internal` for another name.
   */
  modelOf(name: string): RoleModel {
    return name === 'initial' ? this.initial : (this.snapshots.modelOf(name) ?? this.named(name));
  }

  /** Number of batches and updates, and what stages remember, by role. */
  counts(): { readonly [role: string]: RoleCounts } {
    return Object.fromEntries(
      this.all.map(({ name, draws, updates, memory }) => [
        name,
        { draws, updates, ...(memory.size > 0 && { memory: Object.fromEntries(memory) }) },
      ]),
    );
  }
}
