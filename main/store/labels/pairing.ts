import { createHmac } from 'node:crypto';
import type { Sliced } from '../slices.ts';

/** Distinct answers to one prompt, in order of arrival. */
export interface Answers {
  readonly promptId: string;
  readonly count: number;
  /** Total characters of the texts. */
  readonly characters: number;
  correct(this: void, at: number): boolean | null;
  text(this: void, at: number): string;
}
export interface PairChoice {
  readonly pairsPerPrompt: number;
  /** Only pairs of a right and a wrong answer. */
  readonly onlyDiffering: boolean;
  readonly seed: number;
}
export interface PickedPair {
  /** Sort key among all pairs of the set. */
  readonly order: string;
  readonly a: number;
  readonly b: number;
  /** The answer shown on the left. */
  readonly leftIs: 'a' | 'b';
}

/** Most answers of a prompt for which every pair is considered (19,900 pairs); of more, pairs are sampled. */
export const everyPairOf = 200;
/** Most characters of such answers, since each pair's hash reads both texts. */
export const everyPairOfCharacters = 4_000_000;

export const triesEveryPair = ({ count, characters }: Pick<Answers, 'count' | 'characters'>): boolean =>
  count <= everyPairOf && characters <= everyPairOfCharacters;

/**
 * Picks at most `pairsPerPrompt` pairs of one prompt's answers, with every set of that size equally likely. A
 * keyed hash determines pairs, order and sides, so they depend only on seed and texts, not on ids. Up to
 * `everyPairOf` answers it takes the pairs with the lowest hashes; of more it samples pairs one by one until
 * enough are distinct, so that time is linear in the answers.
 */
export function* pickPairs(answers: Answers, choice: PairChoice): Sliced<PickedPair[]> {
  const draw = (...about: readonly unknown[]): string =>
    createHmac('sha256', String(choice.seed)).update(JSON.stringify(about)).digest('hex');
  const side = (order: string): string =>
    createHmac('sha256', String(choice.seed)).update(`side/${order}`).digest('hex');
  const pick = (a: number, b: number): PickedPair => {
    const order = draw('pair', answers.promptId, answers.text(a), answers.text(b));
    return { order, a, b, leftIs: Number.parseInt(side(order)[0], 16) % 2 === 0 ? 'a' : 'b' };
  };
  return triesEveryPair(answers)
    ? yield* lowest(answers, choice, pick)
    : yield* drawn(answers, choice, pick, draw);
}

const byOrder = (x: PickedPair, y: PickedPair): number =>
  x.order < y.order ? -1 : x.order > y.order ? 1 : 0;

/** The pairs with the lowest sort keys among all. */
function* lowest(
  answers: Answers,
  { pairsPerPrompt, onlyDiffering }: PairChoice,
  pick: (a: number, b: number) => PickedPair,
): Sliced<PickedPair[]> {
  let best: PickedPair[] = [];
  for (let a = 0; a < answers.count; a += 1) {
    for (let b = a + 1; b < answers.count; b += 1) {
      if (!onlyDiffering || differ(answers.correct(a), answers.correct(b))) best.push(pick(a, b));
    }
    // keeps memory small
    best = best.sort(byOrder).slice(0, pairsPerPrompt);
    yield;
  }
  return best;
}

const differ = (a: boolean | null, b: boolean | null): boolean => a !== null && b !== null && a !== b;

/** Samples distinct pairs from all. */
function* drawn(
  answers: Answers,
  { pairsPerPrompt, onlyDiffering }: PairChoice,
  pick: (a: number, b: number) => PickedPair,
  draw: (...about: readonly unknown[]) => string,
): Sliced<PickedPair[]> {
  const all = [...Array(answers.count).keys()];
  const [left, right] = onlyDiffering
    ? [all.filter((at) => answers.correct(at) === true), all.filter((at) => answers.correct(at) === false)]
    : [all, all];
  const there = onlyDiffering ? left.length * right.length : (all.length * (all.length - 1)) / 2;
  const count = Math.min(pairsPerPrompt, there);
  const picked = new Map<string, PickedPair>();
  for (let turn = 0; picked.size < count; turn += 1) {
    const bits = draw('draw', answers.promptId, turn);
    const at = (from: number, among: readonly number[]): number =>
      among[Math.floor((Number.parseInt(bits.slice(from, from + 12), 16) / 2 ** 48) * among.length)];
    const [x, y] = [at(0, left), at(12, right)];
    const [a, b] = [Math.min(x, y), Math.max(x, y)];
    if (a !== b && !picked.has(`${a}/${b}`)) picked.set(`${a}/${b}`, pick(a, b));
    yield;
  }
  return [...picked.values()];
}
