/** Success by prompt and by level, computed from a batch of rows for controllers. */
import * as z from 'zod';
import type { Problem } from '../kernel/columns.ts';
import type { Table } from '../kernel/rows.ts';

/**
 * The answers to one prompt in one batch. `success` is the mean reward clipped to 0–1, `flat` means that no
 * answer had any.
 */
export interface Outcome {
  readonly problem: Problem;
  readonly answers: number;
  readonly success: number;
  readonly flat: boolean;
}

/** Outcomes of a batch, one per group, in the order of the rows; empty if the rows were not scored. */
export const outcomesOf = (table: Table): Outcome[] => {
  const {
    problem,
    groupId,
    'reward/total': rewards_R,
  } = table as {
    readonly problem?: readonly Problem[];
    readonly groupId?: Float64Array;
    readonly 'reward/total'?: Float64Array;
  };
  if (!problem || !groupId || !rewards_R) return [];
  const groups = new Map<number, number[]>();
  groupId.forEach((group, r) => {
    const rows = groups.get(group);
    if (rows) rows.push(r);
    else groups.set(group, [r]);
  });
  return [...groups.values()].map((rows) => {
    const success = rows.reduce((sum, r) => sum + Math.min(1, Math.max(0, rewards_R[r])), 0) / rows.length;
    return { problem: problem[rows[0]], answers: rows.length, success, flat: success === 0 };
  });
};

/** A problem's level, 0 if the task has none. */
export const levelOf = ({ level = 0 }: Problem): number => level;

const Tally = z.tuple([z.number(), z.number()]);
const Saved = z.object({
  prompts: z.array(z.tuple([z.string(), Tally])),
  levels: z.array(z.tuple([z.number(), Tally])),
});

/** Maximum number of prompts stored; the least recently seen are dropped first. */
const REMEMBERED = 20_000;

/**
 * Running success rates: that of a seen prompt is shrunk towards its level's by `prior` pseudo-answers; that
 * of a new one is its level's, shrunk towards ½. Older answers count less: all counts are multiplied by
 * `keep` at each batch with the prompt (or the level).
 */
export class SuccessRates {
  readonly #prior: number;
  readonly #keep: number;
  /** Answers and successes, by prompt and by level. */
  #prompts = new Map<string, readonly [number, number]>();
  #levels = new Map<number, readonly [number, number]>();

  constructor({ prior = 1, keep = 0.9 } = {}) {
    this.#prior = prior;
    this.#keep = keep;
  }

  observe(outcomes: readonly Outcome[]): void {
    const aged = new Set<number>();
    for (const { problem, answers, success } of outcomes) {
      const level = levelOf(problem);
      const keep = aged.has(level) ? 1 : this.#keep;
      aged.add(level);
      const of = ([n, s]: readonly [number, number] = [0, 0], share = 1): readonly [number, number] => [
        n * share + answers,
        s * share + answers * success,
      ];
      this.#levels.set(level, of(this.#levels.get(level), keep));
      const prompt = of(this.#prompts.get(problem.promptId), this.#keep);
      this.#prompts.delete(problem.promptId);
      this.#prompts.set(problem.promptId, prompt);
    }
    for (const oldest of this.#prompts.keys()) {
      if (this.#prompts.size <= REMEMBERED) break;
      this.#prompts.delete(oldest);
    }
  }

  /** Expected share of successes, strictly between 0 and 1. */
  rate(problem: Problem): number {
    const [n, s] = this.#levels.get(levelOf(problem)) ?? [0, 0];
    const level = (s + 0.5 * this.#prior) / (n + this.#prior);
    const [own, right] = this.#prompts.get(problem.promptId) ?? [0, 0];
    return (right + level * this.#prior) / (own + this.#prior);
  }

  state(): z.infer<typeof Saved> {
    return {
      prompts: [...this.#prompts].map(([id, [n, s]]) => [id, [n, s]]),
      levels: [...this.#levels].map(([level, [n, s]]) => [level, [n, s]]),
    };
  }

  restore(saved: unknown): void {
    const { prompts, levels } = Saved.parse(saved);
    this.#prompts = new Map(prompts);
    this.#levels = new Map(levels);
  }
}
