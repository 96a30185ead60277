/** Plans as they are planned, kept from one look to the next. */
import { checkSpec, planNodes, type PlannedPlan } from '../../engine/index.ts';
import type { StoredPlan } from '../store/plans.ts';
import { addedTo } from './arena.ts';

export class PlannedPlans {
  /** By id, with the number of decisions that a plan is planned with. */
  readonly #known = new Map<string, { readonly decisions: number; readonly plan: PlannedPlan }>();

  /** Checked once, and again after a candidate was added. Throws `invalid-input` for a file that is refused. */
  of(stored: StoredPlan): PlannedPlan {
    const decisions = stored.decisions.length;
    const known = this.#known.get(stored.id);
    if (known?.decisions === decisions) return known.plan;
    const plan = planNodes(stored.file, checkSpec, addedTo(stored));
    // what was read before a decision must not take the place of what was planned behind it
    if (!known || known.decisions < decisions) this.#known.set(stored.id, { decisions, plan });
    return plan;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }
}
