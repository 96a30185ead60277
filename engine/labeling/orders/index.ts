import { byCluster } from './by-cluster.ts';
import { disagreement } from './disagreement.ts';
import { goldOver } from './gold.ts';
import { modelChange } from './model-change.ts';
import { novelty } from './novelty.ts';
import type { Order } from './order.ts';
import { random } from './random.ts';
import { repeatsOver } from './repeats.ts';
import { uncertain } from './uncertain.ts';

/** Orders of new items. A new one is its file and one line here; tests/contracts/every-order finds it. */
export const newItemOrders: readonly Order[] = [
  random,
  uncertain,
  disagreement,
  modelChange,
  novelty,
  byCluster,
];
/** Orders that mix others in. */
const repeats = repeatsOver(newItemOrders);
const gold = goldOver([...newItemOrders, repeats]);

/** Every order of the labeling queue. */
export const orders: readonly Order[] = [...newItemOrders, repeats, gold];

export { orderOf, type Order, type Queue, type QueueEntry } from './order.ts';
