export {
  fitHead,
  judged,
  learningCurve,
  type HeadOptions,
  type LabeledPairs,
  type PreferenceHead,
} from './head.ts';
export { kMeans, type Points } from './k-means.ts';
export { nearestNeighbours, type Neighbours } from './neighbours.ts';
export { symmetricEigen } from '../regression/index.ts';
export { principalPlane, type Plane } from './principal-plane.ts';
export { newItemOrders, orderOf, orders, type Order, type Queue, type QueueEntry } from './orders/index.ts';
export { fitJudge, orderQueue } from './judge.ts';
export { textStatistics, textStatisticsWidth } from './text-statistics.ts';
export { TEXT_WIDTH, textFeatures } from './text-features.ts';
export { duelPlan, type Duel } from './duels.ts';
