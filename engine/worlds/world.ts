import * as z from 'zod';
import { hashFraction, promptIdOf } from '../random/hash.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { Wordings } from '../common/wordings.ts';
import type { JsonSchema, WorldInfo } from '../schema/method-info.ts';
import { stream, type RandomStream } from '../random/random.ts';
import type { Turns } from './turns.ts';

export type Split = 'train' | 'heldout';

/** A problem of a world. `reference` is the expected answer; `level` grows with difficulty, from 1. */
export interface Problem {
  readonly promptId: string;
  readonly prompt: string;
  readonly reference: string;
  readonly level: number;
  readonly meta: Readonly<Record<string, string | number>>;
}

/**
 * Levels of a world: training levels are evaluated too, with held-out prompts; the others only in
 * evaluation.
 */
export interface Levels {
  readonly trained: readonly number[];
  readonly heldout: readonly number[];
}

/**
 * A worked line: `holds` if its own equation is true, `follows` if the state after the lines before allows
 * the step.
 */
export interface StepVerdict {
  readonly line: string;
  readonly holds: boolean;
  readonly follows: boolean;
}

/**
 * The verifier's result. `reward` is in [-1, 1] and highest if `correct`; `reason` is a short phrase for
 * people.
 */
export interface WorldVerdict {
  readonly correct: boolean;
  readonly reward: number;
  readonly reason: string;
  readonly steps?: readonly StepVerdict[];
  /**
   * Progress of each turn of a transcript, in a world that measures it: one number per turn, 1 in all for the
   * turns of a right demonstration without detours. Absent if the text is no transcript of this world.
   */
  readonly turns?: readonly number[];
}

export type DemonstrationKind = 'right' | 'wrong' | 'rambling';

/** A worked answer to a training prompt. `correct` is the verdict of `verify`. */
export interface WorldDemonstration {
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string;
  readonly kind: DemonstrationKind;
  readonly correct: boolean;
}

/** Two different answers to one prompt, ranked by the world's own rule; pairs that tie are not used. */
export interface WorldPreference {
  readonly promptId: string;
  readonly prompt: string;
  readonly reference: string;
  readonly a: string;
  readonly b: string;
  readonly better: 'a' | 'b' | 'tie';
}

/** A world with fixed parameters. Every function depends only on its arguments. */
export interface World {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Every character of prompts and answers: the vocabulary of a character tokenizer. */
  readonly alphabet: string;
  /** Maximum prompt length, and maximum answer length with its end token, in characters. */
  readonly maxPromptTokens: number;
  readonly maxTokens: number;
  /**
   * True if the two splits share no prompt. False only if the world has too few prompts to split (a bandit
   * has one).
   */
  readonly disjoint: boolean;
  /** The training levels and the held-out ones; absent for a world without this choice. */
  readonly levels?: Levels;
  /** Every rewarded answer, if they can be listed; any other text earns the lowest of these rewards. */
  readonly outcomes?: readonly { readonly completion: string; readonly reward: number }[];
  /** Problem `index` of a split. Held-out problems ignore `seed`: they are the same in every run. */
  problem(split: Split, index: number, seed: number): Problem;
  /** Judges any text, and never throws: malformed or overlong text is wrong. */
  verify(problem: Problem | string, completion: string): WorldVerdict;
  /**
   * Replies of a multi-turn world. Its answers are transcripts, with every reply in marks
   * (`schema/transcript.ts`).
   */
  readonly turns?: Turns;
  /**
   * The same for many answers, if a verdict needs more than reading them (it runs a query). Call it through
   * `judgedBy`; it may accept answers that `verify` cannot.
   */
  judge?(
    rows: readonly { readonly prompt: string; readonly completion: string }[],
  ): Promise<readonly WorldVerdict[]>;
  /** The kind of harm of a text by itself, in a world of attacks and replies; null for a harmless one. */
  readonly family?: (text: string) => string | null;
  /** How its problems can be said otherwise, in a world of instructions. */
  readonly wordings?: Wordings;
  /** Demonstration `index`, of a training prompt by default; held-out ones ignore `seed`. */
  demonstration(index: number, seed: number, split?: Split): WorldDemonstration;
  /** A right worked answer to a problem, the same each time; null if none of some demonstrations is right. */
  solution(problem: Problem): string | null;
  /** Pair `index` of a split; only for worlds with a preference rule. */
  preference?(split: Split, index: number, seed: number): WorldPreference;
}

/** A world as listed in catalogues and forms, without chosen parameters. */
export interface WorldKind {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly info: WorldInfo;
  /**
   * The given parameters, completed for earlier versions that stored all parameters with the values that
   * then applied: a stored run keeps its world.
   */
  meant(params: unknown): unknown;
  /** Throws `invalid-input`, naming the parameter, for invalid parameters. */
  open(params?: unknown): World;
}

/** The author's part of a world; `defineWorld` adds ids, splits and checks. */
export interface WorldParts {
  readonly alphabet: string;
  readonly maxPromptTokens: number;
  readonly maxTokens: number;
  readonly outcomes?: World['outcomes'];
  /** Share of the prompts that are held out; null: both splits use the same prompts. */
  readonly heldout: number | null;
  /**
   * Levels, each equally often. No two levels may share a prompt: those of `heldout` are excluded from
   * training whatever their text's hash.
   */
  readonly levels?: Levels;
  /**
   * Difficulty of a problem if there are no `levels`, drawn first so that its shares hold in both splits.
   * Default: always 1.
   */
  level?(draw: RandomStream): number;
  problem(level: number, draw: RandomStream): Omit<Problem, 'promptId' | 'level'>;
  verify(prompt: string, completion: string): WorldVerdict;
  readonly judge?: World['judge'];
  readonly turns?: Turns;
  readonly family?: World['family'];
  readonly wordings?: Wordings;
  demonstration(
    problem: Problem,
    draw: RandomStream,
  ): { readonly answer: string; readonly kind: DemonstrationKind };
  preference?(
    problem: Problem,
    draw: RandomStream,
  ): { readonly a: string; readonly b: string; readonly better: 'a' | 'b' | 'tie' };
}

/** A world's verdicts on answers, by `judge` if it has one. */
export const judgedBy = async (
  world: World,
  rows: readonly { readonly prompt: string; readonly completion: string }[],
): Promise<readonly WorldVerdict[]> =>
  world.judge ? world.judge(rows) : rows.map(({ prompt, completion }) => world.verify(prompt, completion));

/** Demonstrations of a problem among which a right one is looked for. */
const SOLUTIONS = 64;

/** Tries to find a prompt of the wanted split; a world that runs out of prompts is refused. */
const TRIES = 10_000;

/** Defines a world. The hash of a prompt's text alone decides its split, so the splits cannot overlap. */
export const defineWorld = <P extends z.ZodObject>(definition: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: P;
  /** Effective earlier values of parameters that were added later with a different default. */
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

/** The first right one of some demonstrations of a problem; null if there is none. */
const solutionOf = (id: string, parts: WorldParts, problem: Problem): string | null => {
  for (let at = 0; at < SOLUTIONS; at++) {
    const draw = stream(0, `${id}/solution ${problem.promptId}`, at);
    const { answer, kind } = parts.demonstration(problem, draw);
    if (kind === 'right' && parts.verify(problem.prompt, answer).correct) return answer;
  }
  return null;
};

const openWorld = (id: string, params: Readonly<Record<string, unknown>>, parts: WorldParts): World => {
  const { alphabet, maxPromptTokens, maxTokens, outcomes, heldout, levels, preference } = parts;
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
    ...(parts.family && { family: parts.family }),
    ...(parts.wordings && { wordings: parts.wordings }),
    solution: (problem) => solutionOf(id, parts, problem),
    demonstration: (index, seed, split = 'train') => {
      const problem = problemOf(split, 'demonstration', index, seed);
      const draw =
        split === 'heldout' ? stream(0, `${id}/heldout answer`, index) : stream(seed, `${id}/answer`, index);
      const { answer, kind } = parts.demonstration(problem, draw);
      const { promptId, prompt, reference } = problem;
      return { promptId, prompt, answer, reference, kind, correct: parts.verify(prompt, answer).correct };
    },
  };
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
