import { z } from 'zod';
import { hashFraction, promptIdOf } from '../random/hash.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { JsonSchema, WorldInfo } from '../schema/method-info.ts';
import { stream, type RandomStream } from '../random/random.ts';
import type { Turns } from './turns.ts';

export type Split = 'train' | 'heldout';

/** What a world asks. `reference` is the expected answer; `level` grows with difficulty, from 1. */
export interface Problem {
  readonly promptId: string;
  readonly prompt: string;
  readonly reference: string;
  readonly level: number;
  readonly meta: Readonly<Record<string, string | number>>;
}

/**
 * Levels that a world asks: those of training are asked at evaluation too, with held-out prompts; the others
 * at evaluation alone.
 */
export interface Levels {
  readonly trained: readonly number[];
  readonly heldout: readonly number[];
}

/**
 * A worked line: does its own equation hold, and does it take a step that the state reached by the lines
 * before allows?
 */
export interface StepVerdict {
  readonly line: string;
  readonly holds: boolean;
  readonly follows: boolean;
}

/**
 * What the verifier says. `reward` is in [-1, 1] and highest where `correct`; `reason` is a short phrase for
 * people.
 */
export interface WorldVerdict {
  readonly correct: boolean;
  readonly reward: number;
  readonly reason: string;
  readonly steps?: readonly StepVerdict[];
}

export type DemonstrationKind = 'right' | 'wrong' | 'rambling';

/** A worked answer to a training prompt. `correct` is what `verify` says about it. */
export interface WorldDemonstration {
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string;
  readonly kind: DemonstrationKind;
  readonly correct: boolean;
}

/**
 * Two different answers to one prompt and the better one, by the world's own rule, where it does not call
 * them equal.
 */
export interface WorldPreference {
  readonly promptId: string;
  readonly prompt: string;
  readonly reference: string;
  readonly a: string;
  readonly b: string;
  readonly better: 'a' | 'b' | 'tie';
}

/** A world with its parameters chosen. Every function depends on its arguments alone. */
export interface World {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Every character that prompts and answers use: the vocabulary of a character tokenizer. */
  readonly alphabet: string;
  /** Longest prompt, and longest answer with its end mark, in characters. */
  readonly maxPromptTokens: number;
  readonly maxTokens: number;
  /**
   * Whether the two splits share no prompt. False only where the world has too few prompts to split (a bandit
   * has one).
   */
  readonly disjoint: boolean;
  /**
   * Which levels are trained on and which are kept for evaluation; absent where a world has no such choice.
   */
  readonly levels?: Levels;
  /**
   * Every answer that counts, with its reward, where they can be listed; any other text earns the lowest of
   * these rewards.
   */
  readonly outcomes?: readonly { readonly completion: string; readonly reward: number }[];
  /** Problem `index` of a split. Held-out problems ignore `seed`: they are the same in every run. */
  problem(split: Split, index: number, seed: number): Problem;
  /** Judges any text, and never throws: what is malformed or too long is wrong. */
  verify(problem: Problem | string, completion: string): WorldVerdict;
  /**
   * A world that answers back: how it replies to a turn. Its answers are transcripts, with every reply in
   * marks (`schema/transcript.ts`).
   */
  readonly turns?: Turns;
  /**
   * The same for many answers, where a verdict takes more than reading them (a query is run). Ask it by
   * `judgedBy`; it may find right what `verify` cannot.
   */
  judge?(
    rows: readonly { readonly prompt: string; readonly completion: string }[],
  ): Promise<readonly WorldVerdict[]>;
  /** Demonstration `index`, of a training prompt unless told; held-out ones ignore `seed`. */
  demonstration(index: number, seed: number, split?: Split): WorldDemonstration;
  /** Pair `index` of a split; only worlds that have a preference rule have it. */
  preference?(split: Split, index: number, seed: number): WorldPreference;
}

/** A world as lists and forms see it: parameters still open. */
export interface WorldKind {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly info: WorldInfo;
  /**
   * What was given, and where an earlier version stored it complete, what stood for the parameters that came
   * later: a stored run keeps its world.
   */
  meant(params: unknown): unknown;
  /** Throws `invalid-input`, naming the parameter, where the parameters do not fit. */
  open(params?: unknown): World;
}

/** What the author of a world writes; `defineWorld` adds ids, splits and checks. */
export interface WorldParts {
  readonly alphabet: string;
  readonly maxPromptTokens: number;
  readonly maxTokens: number;
  readonly outcomes?: World['outcomes'];
  /** Share of the prompts that are held out; null: both splits ask the same prompts. */
  readonly heldout: number | null;
  /**
   * Levels, each equally often. No two levels may share a prompt: those of `heldout` are kept from training
   * whatever their text's hash says.
   */
  readonly levels?: Levels;
  /**
   * Difficulty of a problem where there are no `levels`, drawn first so that its shares hold in both splits.
   * Default: always 1.
   */
  level?(draw: RandomStream): number;
  problem(level: number, draw: RandomStream): Omit<Problem, 'promptId' | 'level'>;
  verify(prompt: string, completion: string): WorldVerdict;
  readonly judge?: World['judge'];
  readonly turns?: Turns;
  demonstration(
    problem: Problem,
    draw: RandomStream,
  ): { readonly answer: string; readonly kind: DemonstrationKind };
  preference?(
    problem: Problem,
    draw: RandomStream,
  ): { readonly a: string; readonly b: string; readonly better: 'a' | 'b' | 'tie' };
}

/** A world's verdicts on answers. */
export const judgedBy = async (
  world: World,
  rows: readonly { readonly prompt: string; readonly completion: string }[],
): Promise<readonly WorldVerdict[]> =>
  world.judge ? world.judge(rows) : rows.map(({ prompt, completion }) => world.verify(prompt, completion));

/**
 * Tries to find a prompt that belongs to the wanted split; a world whose prompts run out is refused, not
 * looped over.
 */
const TRIES = 10_000;

/**
 * Registers a world. Which split a prompt belongs to is decided by the hash of its text alone, so the splits
 * cannot overlap.
 */
export const defineWorld = <P extends z.ZodObject>(definition: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: P;
  /** Parameters that came later and whose default is new: what stood for them before. */
  readonly earlier?: Partial<z.output<P>>;
  readonly build: (params: z.output<P>) => WorldParts;
}): WorldKind => {
  const { id, title, summary, params, earlier } = definition;
  const meant = (given: unknown): unknown => {
    const isStored =
      earlier &&
      typeof given === 'object' &&
      given !== null &&
      Object.keys(params.shape).every((name) => name in given || name in earlier);
    return isStored ? { ...earlier, ...given } : given;
  };
  return {
    id,
    title,
    summary,
    params,
    meant,
    info: { id, title, summary, params: z.toJSONSchema(params, { io: 'input' }) as JsonSchema },
    open: (given = {}) => {
      const parsed = params.safeParse(meant(given));
      if (!parsed.success) {
        throw new WhetstoneError(
          'invalid-input',
          `The parameters of world "${id}" do not fit: ${z.prettifyError(parsed.error)}`,
          { where: `task.params of ${id}` },
        );
      }
      return openWorld(id, parsed.data, definition.build(parsed.data));
    },
  };
};

const openWorld = (id: string, params: Readonly<Record<string, unknown>>, parts: WorldParts): World => {
  const { alphabet, maxPromptTokens, maxTokens, outcomes, heldout, levels } = parts;
  const splitOf = (prompt: string): Split =>
    hashFraction('split', id, prompt) < (heldout ?? 0) ? 'heldout' : 'train';
  const levelOf = (split: Split, draw: RandomStream): number => {
    if (!levels) return parts.level?.(draw) ?? 1;
    return draw.pick(split === 'train' ? levels.trained : [...levels.trained, ...levels.heldout]);
  };

  const problemOf = (split: Split, purpose: string, index: number, seed: number): Problem => {
    const key = `${id}/${purpose}/${split}`;
    const from = split === 'heldout' ? 0 : seed;
    const level = levelOf(split, stream(from, `${key}/level`, index));
    const kept = levels?.heldout.includes(level);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const found = parts.problem(level, stream(from, key, index, attempt));
      if (heldout === null || kept || splitOf(found.prompt) === split)
        return { promptId: promptIdOf(found.prompt), level, ...found };
    }
    throw new WhetstoneError(
      'invalid-input',
      `World "${id}" has no ${split} problem of level ${level} with these parameters.`,
      {
        where: `task.params of ${id}`,
        hint: 'Give it more problems (larger operands, longer strings) or another held-out share.',
      },
    );
  };

  const world: World = {
    id,
    params,
    alphabet,
    maxPromptTokens,
    maxTokens,
    disjoint: heldout !== null,
    ...(levels && { levels }),
    ...(outcomes && { outcomes }),
    problem: (split, index, seed) => problemOf(split, 'problem', index, seed),
    verify: (problem, completion) =>
      parts.verify(typeof problem === 'string' ? problem : problem.prompt, completion),
    ...(parts.judge && { judge: parts.judge }),
    ...(parts.turns && { turns: parts.turns }),
    demonstration: (index, seed, split = 'train') => {
      const problem = problemOf(split, 'demonstration', index, seed);
      const draw =
        split === 'heldout' ? stream(0, `${id}/heldout answer`, index) : stream(seed, `${id}/answer`, index);
      const { answer, kind } = parts.demonstration(problem, draw);
      const { promptId, prompt, reference } = problem;
      return { promptId, prompt, answer, reference, kind, correct: parts.verify(prompt, answer).correct };
    },
  };
  const preference = parts.preference;
  if (!preference) return world;
  return {
    ...world,
    preference: (split, index, seed) => {
      const problem = problemOf(split, 'preference', index, seed);
      const draw = stream(split === 'heldout' ? 0 : seed, `${id}/pair/${split}`, index);
      return {
        promptId: problem.promptId,
        prompt: problem.prompt,
        reference: problem.reference,
        ...preference(problem, draw),
      };
    },
  };
};
