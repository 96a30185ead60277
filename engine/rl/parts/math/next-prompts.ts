/** What the prompts of the next round show. */
import type { RandomStream } from '../../../random/random.ts';
import type { NextPrompt, NextPrompts, Tried } from './attempts.ts';
import type { Template } from '../../../common/shown-answers.ts';

/** Reward from which an answer counts as right. */
export const RIGHT = 0.5;

/** A list in random order. */
const inRandomOrder = <T>(items: readonly T[], random: RandomStream): T[] => {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = random.int(last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
};

const lastRound = (tried: readonly Tried[]): readonly Tried[] => {
  const newest = tried.at(-1)?.round ?? 0;
  return tried.filter(({ round }) => round === newest);
};

/** One prompt that shows all answers of the round before (EvoScale, arXiv:2505.23604). */
export const showAll =
  ({ template, answers }: { readonly template: Template; readonly answers: number }): NextPrompts =>
  (_problem, tried) => [{ template, shows: lastRound(tried), answers }];

/** Numbers that tell a better earlier answer: the total of the run's rewards, or the verdict. */
export const scoreBy: { readonly [selector in 'rewards' | 'verifier']: (tried: Tried) => number } = {
  rewards: ({ reward }) => reward,
  // the verdict of a search without a world is its last scorer
  verifier: ({ scores }) => scores.verifier ?? Object.values(scores).at(-1) ?? 0,
};

/**
 * One prompt that shows `most` earlier answers: those of the round before, or the best of all by `by`, the
 * best last. Of equal ones, a random one (evolution: arXiv:2505.23604, section 3.1).
 */
export const showBest =
  ({
    template,
    answers,
    most,
    by,
  }: {
    readonly template: Template;
    readonly answers: number;
    readonly most: number;
    readonly by: ((tried: Tried) => number) | undefined;
  }): NextPrompts =>
  (_problem, tried, _round, random) => {
    if (!by) return [{ template, shows: lastRound(tried).slice(0, most), answers }];
    const shows = inRandomOrder(tried, random)
      .sort((a, b) => by(a) - by(b))
      .slice(-most);
    return [{ template, shows, answers }];
  };

/** One prompt for each answer of the round before, or for each wrong one; `answers` to each. */
export const showEach =
  ({
    template,
    only = 'all',
    answers = 1,
  }: {
    readonly template: Template;
    readonly only?: 'all' | 'wrong';
    readonly answers?: number;
  }): NextPrompts =>
  (_problem, tried) =>
    lastRound(tried)
      .filter(({ reward }) => only === 'all' || reward < RIGHT)
      .map((each) => ({ template, shows: [each], answers }));

/** One prompt that shows one answer of the round before, drawn at random. */
export const showOne =
  ({ template, answers }: { readonly template: Template; readonly answers: number }): NextPrompts =>
  (_problem, tried, _round, random) => {
    const before = lastRound(tried);
    return before.length > 0 ? [{ template, shows: [before[random.int(before.length)]], answers }] : [];
  };

/** One prompt that shows no earlier answer, but the right one. None for a problem without a reference. */
export const showAnswer =
  ({ template, answers }: { readonly template: Template; readonly answers: number }): NextPrompts =>
  ({ reference }) =>
    reference === null ? [] : [{ template, shows: [], answers }];

/**
 * Prompts for problems without a right answer so far: those of round r have the r-th template, which may show
 * the wrong answers, newest last (Cog-Rethinker, arXiv:2510.15979: parts first, then the wrong answers).
 */
export const rescue =
  ({ stages, answers }: { readonly stages: readonly Template[]; readonly answers: number }): NextPrompts =>
  (_problem, tried, round) =>
    tried.some(({ reward }) => reward >= RIGHT)
      ? []
      : [{ template: stages[round - 1], shows: tried, answers }];

/**
 * The own answer beside a claim that is right or wrong with equal chance: the right answer, or another text
 * of the round before that is wrong. Without a wrong one the claim is right; without a reference, there is no
 * prompt.
 */
export const showClaim =
  ({ template, answers }: { readonly template: Template; readonly answers: number }): NextPrompts =>
  ({ reference }, tried, _round, random): readonly NextPrompt[] => {
    const before = lastRound(tried);
    if (reference === null || before.length === 0) return [];
    const own = before[random.int(before.length)];
    const wrong = before.filter(({ reward, text }) => reward < RIGHT && text !== own.text);
    const isTrue = random.next() < 0.5 || wrong.length === 0;
    const claim = isTrue ? { text: reference, reward: 1, reason: '' } : wrong[random.int(wrong.length)];
    return [{ template, shows: [own, claim], answers, base: own.reward }];
  };
