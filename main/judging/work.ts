import { orderOf, newItemOrders } from '../../engine/index.ts';
import type { JudgeSettings } from '../../preload/contract/judge.ts';
import { judgedFrom } from '../../preload/wire/judge.ts';
import type { StoreClient } from '../store/client.ts';

export type JudgeState = Awaited<ReturnType<StoreClient['labelJudge']['state']>>;

/** `read`: an order waits for features; `clear`: makes the queue random again. */
export type Work = 'fit' | 'order' | 'read' | 'clear' | null;

/** Unlabeled items among which an order chooses: how many have features, and whether more are to be read. */
export interface Candidates {
  readonly read: number;
  readonly isAll: boolean;
}

/** Candidates with features from which on an order is worth it, though others are still to be read. */
const ENOUGH = 64;

const NEEDS_JUDGE: readonly string[] = ['probabilities', 'ensemble'];

/** True if an order is random until the first fit. */
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

/** True if the queue has the order that was chosen, by the newest fit. */
const isOrdered = ({ order, fit, settings }: JudgeState, source: string): boolean =>
  order?.settings === orderKey(settings, source) &&
  (!needsJudge(settings.order) || order.fitSequence === (fit?.sequence ?? null)) &&
  order.newLabels < settings.every;

/** True if so many more candidates were read that the order is to be made anew. */
const hasGrown = ({ order }: JudgeState, { read, isAll }: Candidates): boolean =>
  read > (isAll ? 1 : 2) * (order?.candidates ?? 0);

/** True if the queue is random: as chosen, or since the order needs a judge that is not there yet. */
const isRandom = ({ settings, fit }: JudgeState): boolean =>
  settings.order === 'random' || (needsJudge(settings.order) && !fit?.hasHead);

/** The step that is due next. `isForced`: a fit was asked for. */
export const dueWork = (
  state: JudgeState,
  source: string,
  { isForced, candidates }: { readonly isForced: boolean; readonly candidates: Candidates },
): Work => {
  if (isForced || isFitDue(state)) return 'fit';
  if (isRandom(state)) return state.order ? 'clear' : null;
  if (isOrdered(state, source)) return hasGrown(state, candidates) ? 'order' : null;
  return candidates.isAll || candidates.read >= ENOUGH ? 'order' : 'read';
};
