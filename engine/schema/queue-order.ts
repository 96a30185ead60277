import type { JsonSchema } from './method-info.ts';

/** Inputs that an order of the labeling queue needs. */
export type OrderNeed = 'features' | 'probabilities' | 'ensemble' | 'gold';

/** An order of the labeling queue as listed in forms. */
export interface OrderInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly needs: readonly OrderNeed[];
  readonly params: JsonSchema;
}
