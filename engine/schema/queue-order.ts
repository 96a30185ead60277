import type { JsonSchema } from './method-info.ts';

/** What an order of the labeling queue needs from the queue. */
export type OrderNeed = 'features' | 'probabilities' | 'ensemble' | 'gold';

/** An order of the labeling queue as listed in forms. */
export interface OrderInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly needs: readonly OrderNeed[];
  readonly params: JsonSchema;
}
