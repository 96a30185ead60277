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
const plain: readonly Order[] = [random, uncertain, disagreement, modelChange, novelty, byCluster];
/** Orders that mix others in. */
const repeats = repeatsOver(plain);
const gold = goldOver([...plain, repeats]);

/** Every order of the labeling queue. */
export const orders: readonly Order[] = [...plain, repeats, gold];

export { orderOf, type Order, type Queue, type QueueEntry } from './order.ts';
