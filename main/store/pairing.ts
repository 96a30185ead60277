import { createHmac } from 'node:crypto';

/** One answer that may be shown to a labeler. `origin` is a trajectory id or a dataset row. */
export interface Answer {
  readonly origin: string;
  readonly promptId: string;
  readonly prompt: string;
  readonly text: string;
  readonly correct: boolean | null;
}
export interface PairMade {
  readonly a: Answer;
  readonly b: Answer;
  /** Which answer is shown on the left. */
  readonly leftIs: 'a' | 'b';
}

/**
 * Pairs of different answers to the same prompt, at most `pairsPerPrompt` each, in an order that a keyed hash draws:
 * the same seed and texts give the same pairs, sides and order, whatever ids they were stored under. Texts that are equal are never paired, and one text
 * that came up several times counts once.
 */
export function makePairs(answers: Iterable<Answer>, { pairsPerPrompt, onlyDiffering, seed }: { pairsPerPrompt: number; onlyDiffering: boolean; seed: number }): PairMade[] {
  const byPrompt = Map.groupBy(answers, (x) => x.promptId);
  const draw = (text: string): string => createHmac('sha256', String(seed)).update(text).digest('hex');
  const pairs: { order: string; pair: PairMade }[] = [];
  for (const [promptId, all] of byPrompt) {
    const distinct = [...new Map(all.map((x) => [x.text, x])).values()];
    const candidates: { order: string; a: Answer; b: Answer }[] = [];
    for (const [i, a] of distinct.entries()) {
      for (const b of distinct.slice(i + 1)) {
        if (onlyDiffering && (a.correct === null || b.correct === null || a.correct === b.correct)) continue;
        candidates.push({ order: draw(JSON.stringify(['pair', promptId, a.text, b.text])), a, b });
      }
    }
    candidates.sort((x, y) => (x.order < y.order ? -1 : 1));
    for (const { order, a, b } of candidates.slice(0, pairsPerPrompt)) {
      pairs.push({ order, pair: { a, b, leftIs: Number.parseInt(draw(`side/${order}`)[0], 16) % 2 === 0 ? 'a' : 'b' } });
    }
  }
  return pairs.sort((x, y) => (x.order < y.order ? -1 : 1)).map((x) => x.pair);
}
