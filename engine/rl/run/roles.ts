/** The models of a run: those of its roles, and the one that it began with. */
import type { Model } from '../../models/model.ts';
import type { TextScorer } from '../../rewards/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { LiveModel } from '../compute/live-model.ts';
import type { Buffers } from './buffers.ts';
import type { LiveRole } from './live-role.ts';

/** A model that writes, and the same as one that is asked. */
export interface AskedModel {
  readonly live: LiveModel;
  readonly model: Model;
}

interface RolesParts {
  readonly roles: readonly LiveRole[];
  readonly initial: AskedModel;
  readonly buffers: Buffers;
  readonly openingBytes: number;
  readonly lengthFit?: TextScorer['lengthFit'];
}

export class Roles {
  /** The role whose model the run is about: it is evaluated and saved. */
  readonly main: LiveRole;
  /** The model that the run began with. */
  readonly initial: AskedModel;
  /** Rows that roles read of one another. */
  readonly buffers: Buffers;
  /** Bytes of all models while they were opened, where one was copied to get another head; else 0. */
  readonly openingBytes: number;
  /** How the scores of a judge rise with length, by its latest evaluation; saved for scorers that correct it. */
  lengthFit: TextScorer['lengthFit'];
  readonly #roles: ReadonlyMap<string, LiveRole>;

  /** Throws `internal` where no role is named `main`. */
  constructor(main: string, { roles, initial, buffers, openingBytes, lengthFit }: RolesParts) {
    this.#roles = new Map(roles.map((role) => [role.name, role]));
    this.main = this.named(main);
    this.initial = initial;
    this.buffers = buffers;
    this.openingBytes = openingBytes;
    this.lengthFit = lengthFit;
  }

  get all(): readonly LiveRole[] {
    return [...this.#roles.values()];
  }

  /** Throws `internal` where there is none of that name. */
  named(name: string): LiveRole {
    const role = this.#roles.get(name);
    if (!role) throw new WhetstoneError('internal', `The recipe has no role '${name}'.`);
    return role;
  }

  /** The model that a stage asks by name: `initial`, or a role's as it is now. Throws `internal` for another. */
  asked(name: string): AskedModel {
    return name === 'initial' ? this.initial : this.named(name);
  }

  /** Batches made and updates taken, by role. */
  counts(): { readonly [role: string]: Pick<LiveRole, 'draws' | 'updates'> } {
    return Object.fromEntries(this.all.map(({ name, draws, updates }) => [name, { draws, updates }]));
  }
}
