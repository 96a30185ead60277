import type { PlanSpecInput } from '../../../engine/schema/plan.ts';

/** A plan that ships with Whetstone, named after the method that it follows. */
export interface PlanPreset {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly plan: PlanSpecInput;
  /** Its card on Home, for an example that ends within about a minute. */
  readonly sample?: { readonly title: string; readonly about: string };
}
