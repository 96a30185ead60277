import { createHmac } from 'node:crypto';
import type { LabelMode } from '../../../engine/schema/labeling/index.ts';
import type { Answers } from './pairing.ts';
import type { Sliced } from '../slices.ts';

export interface ItemChoice {
  /** Most items per prompt, in modes that show one answer at a time. */
  readonly pairsPerPrompt: number;
  /** Most answers of an item, in modes that show several. */
  readonly answersPerItem: number;
  readonly seed: number;
}
export interface PickedItem {
  /** Sort key among all items of the set. */
  readonly order: string;
  /** Answers in the order in which they are shown. */
  readonly answers: readonly number[];
}

/**
 * Picks items of one prompt's distinct answers: one item of several answers, or items of one answer each,
 * depending on the mode. A keyed hash determines answers and order, so they depend only on seed and texts.
 */
export function* pickItems(answers: Answers, choice: ItemChoice, mode: LabelMode): Sliced<PickedItem[]> {
  const hash = (...about: readonly unknown[]): string =>
    createHmac('sha256', String(choice.seed)).update(JSON.stringify(about)).digest('hex');
  const { least, most } = mode.answers;
  const keep = most === 1 ? choice.pairsPerPrompt : Math.min(most, choice.answersPerItem);
  let kept: { at: number; order: string }[] = [];
  for (let at = 0; at < answers.count; at += 1) {
    kept.push({ at, order: hash('item', answers.promptId, answers.text(at)) });
    if (kept.length > 2 * keep || at === answers.count - 1)
      kept = kept.sort((x, y) => (x.order < y.order ? -1 : 1)).slice(0, keep);
    if (at % 100 === 99) yield;
  }
  if (kept.length < least) return [];
  if (most === 1) return kept.map(({ at, order }) => ({ order, answers: [at] }));
  // the order shown is independent of the choice of the answers, and of their order in the source
  const shown = kept.sort((x, y) => (hash('shown', x.order) < hash('shown', y.order) ? -1 : 1));
  return [{ order: shown[0].order, answers: shown.map(({ at }) => at) }];
}
