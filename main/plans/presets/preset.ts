import type { PlanSpecInput } from '../../../engine/schema/plan.ts';

/** A plan that ships with Whetstone, named after the method that it follows. */
export interface PlanPreset {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly plan: PlanSpecInput;
}
