import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import type { JsonSchema } from '../../schema/method-info.ts';
import type { OrderInfo, OrderNeed } from '../../schema/queue-order.ts';
import type { Points } from '../k-means.ts';

/** A labeling queue as orders see it: items 0 … count − 1. */
export interface Queue {
  readonly count: number;
  /** 1 for each item that has a label. */
  readonly labeled: Uint8Array;
  readonly seed: number;
  /** Difference of the features of each item's two answers. */
  readonly features?: Points;
  /** P(the first answer is preferred) of each item by the judge, and by each head of its ensemble. */
  readonly probabilities?: Float64Array;
  readonly ensemble?: readonly Float64Array[];
  /** Items with a gold label. */
  readonly gold?: readonly number[];
}

/** `repeat`: an item labeled before, shown again; `gold`: an item whose label is known. Both are hidden. */
export interface QueueEntry {
  readonly item: number;
  readonly kind: 'new' | 'repeat' | 'gold';
}

type QueueFor<N extends OrderNeed> = Queue & { readonly [K in N]-?: NonNullable<Queue[K]> };

export interface Order {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly needs: readonly OrderNeed[];
  readonly params: z.ZodObject;
  readonly info: OrderInfo;
  /**
   * Each unlabeled item once, the first to be labeled first; some orders mix others in. Throws
   * `invalid-input` for wrong parameters and for numbers that are not finite, `unsupported` if the queue lacks
   * a need.
   */
  order(queue: Queue, params?: unknown): Promise<QueueEntry[]>;
}

const hints: Readonly<Record<OrderNeed, string>> = {
  features: 'Choose a model that gives features.',
  probabilities: 'Label more items, so that a judge can be fitted.',
  ensemble: 'Label more items, so that a judge can be fitted.',
  gold: 'Mark items with a known label as gold.',
};

const refuse = (id: string, message: string): never => {
  throw new WhetstoneError('invalid-input', `Order "${id}" cannot be used: ${message}`, { where: 'order' });
};

const checkedQueue = (id: string, queue: Queue): void => {
  const { count, labeled, features, probabilities, ensemble, gold } = queue;
  if (!Number.isSafeInteger(count) || count < 0 || labeled.length !== count)
    refuse(id, `${labeled.length} marks of labels for ${count} items.`);
  if (features && features.values.length !== count * features.width)
    refuse(id, `${features.values.length} features for ${count} items of ${features.width}.`);
  if (features && !features.values.every(Number.isFinite)) refuse(id, 'a feature is not a finite number.');
  for (const list of [...(probabilities ? [probabilities] : []), ...(ensemble ?? [])])
    if (list.length !== count || !list.every((p) => p >= 0 && p <= 1))
      refuse(id, 'every item needs a probability between 0 and 1.');
  if (gold && !gold.every((item) => Number.isSafeInteger(item) && item >= 0 && item < count))
    refuse(id, 'a gold item is none of the queue.');
};

/** An order of a list by its id. Throws `not-found` for an unknown one. */
export const orderOf = (orders: readonly Order[], id: string): Order => {
  const found = orders.find((order) => order.id === id);
  if (!found)
    throw new WhetstoneError('not-found', `There is no order "${id}".`, {
      where: 'order',
      hint: `Orders: ${orders.map((order) => order.id).join(', ')}.`,
    });
  return found;
};

/** Unlabeled items, rising. */
export const unlabeled = ({ count, labeled }: Queue): number[] =>
  Array.from({ length: count }, (_, item) => item).filter((item) => labeled[item] === 0);

/** Items as entries that are new to the labeler. */
export const fresh = (items: readonly number[]): QueueEntry[] => items.map((item) => ({ item, kind: 'new' }));

/** Defines an order of the queue; `order` gets a checked queue with all that it `needs`. */
export const defineOrder = <P extends z.ZodObject, const N extends OrderNeed = never>(definition: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly needs?: readonly N[];
  readonly params: P;
  readonly order: (
    queue: QueueFor<N>,
    params: z.output<P>,
  ) => readonly QueueEntry[] | Promise<readonly QueueEntry[]>;
}): Order => {
  const { id, title, summary, params, needs = [] } = definition;
  return {
    id,
    title,
    summary,
    needs,
    params,
    info: { id, title, summary, needs, params: z.toJSONSchema(params, { io: 'input' }) as JsonSchema },
    order: async (queue, given) => {
      const parsed = params.safeParse(given ?? {});
      if (!parsed.success)
        throw new WhetstoneError(
          'invalid-input',
          `The parameters of order "${id}" do not fit: ${z.prettifyError(parsed.error)}`,
          { where: 'order' },
        );
      for (const need of needs)
        if (queue[need] === undefined)
          throw new WhetstoneError('unsupported', `Order "${id}" needs ${need}, and the queue has none.`, {
            where: 'order',
            hint: hints[need],
          });
      checkedQueue(id, queue);
      return [...(await definition.order(queue as QueueFor<N>, parsed.data))];
    },
  };
};
