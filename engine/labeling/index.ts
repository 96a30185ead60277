export {
  fitHead,
  judged,
  learningCurve,
  type HeadOptions,
  type HeldoutAccuracy,
  type LabeledPairs,
  type PreferenceHead,
} from './head.ts';
export { kMeans, type Points } from './k-means.ts';
export { orderOf, orders, type Order, type Queue, type QueueEntry } from './orders/index.ts';
export { TEXT_WIDTH, textFeatures } from './text-features.ts';
