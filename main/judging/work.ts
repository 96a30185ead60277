import { orderOf, newItemOrders } from '../../engine/index.ts';
import type { JudgeSettings } from '../../preload/contract/judge.ts';
import { judgedFrom } from '../../preload/wire/judge.ts';
import type { StoreClient } from '../store/client.ts';

export type JudgeState = Awaited<ReturnType<StoreClient['labelJudge']['state']>>;

/** `clear`: makes the queue random again. */
export type Work = 'fit' | 'order' | 'clear' | null;

const NEEDS_JUDGE: readonly string[] = ['probabilities', 'ensemble'];

/** Whether an order is random until the first fit. */
export const needsJudge = (id: string): boolean =>
  orderOf(newItemOrders, id).needs.some((need) => NEEDS_JUDGE.includes(need));

/** The settings on which the order of a queue depends. */
export const orderKey = ({ order, params, candidates }: JudgeSettings, source: string): string =>
  JSON.stringify({ order, params, candidates, source });

/** Least share of new labels for another fit: fits of thousands of labels take long, and change little. */
const NEW_SHARE = 0.02;

const isFitDue = ({ decided, fit, settings }: JudgeState): boolean =>
  decided >= judgedFrom &&
  (!fit?.hasHead || fit.newLabels >= Math.max(settings.every, NEW_SHARE * fit.labels));

const isOrderDue = ({ order, fit, settings }: JudgeState, source: string): boolean =>
  order?.settings !== orderKey(settings, source) ||
  order.fitSequence !== (needsJudge(settings.order) ? (fit?.sequence ?? null) : order.fitSequence) ||
  order.newLabels >= settings.every;

/** The step that is due next. `isForced`: a fit was asked for. */
export const dueWork = (state: JudgeState, source: string, isForced: boolean): Work => {
  if (isForced || isFitDue(state)) return 'fit';
  const { settings, fit, order } = state;
  const isRandom = settings.order === 'random' || (needsJudge(settings.order) && !fit?.hasHead);
  if (isRandom) return order ? 'clear' : null;
  return isOrderDue(state, source) ? 'order' : null;
};
