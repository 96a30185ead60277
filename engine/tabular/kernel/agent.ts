/** The interface of agents that keep a number for each state, or for each state and action. */
import * as z from 'zod';
import type { SavedCopies } from '../../control/index.ts';
import type { RandomStream } from '../../random/random.ts';
import type { Model } from './model.ts';

/** What an agent knows of its world before it acts. */
export interface Setting {
  readonly states: number;
  readonly actions: number;
  /** γ, below 1. */
  readonly discount: number;
  /** Steps after which an episode is cut off. */
  readonly limit: number;
  /** Steps that the whole run may take. */
  readonly steps: number;
  /** All random choices of the agent while it learns. */
  readonly draw: RandomStream;
  /** The true dynamics, for teachers, logged behaviour and simulators alone; no learner may plan with it. */
  readonly model: Model;
}

/** One step in the world. */
export interface Transition {
  readonly state: number;
  readonly action: number;
  readonly reward: number;
  readonly next: number;
  /** The state is terminal: nothing follows. */
  readonly isTerminal: boolean;
  /** The episode ends here, terminal or at the limit. */
  readonly isLast: boolean;
  /** The world after this step, to come back to; only an agent that asks for it makes a copy. */
  readonly snapshot: () => SavedCopies;
}

/** Action in a state at step `t` of an episode, counted from 0. */
export type Policy = (state: number, t: number) => number;

export interface Agent {
  /**
   * All that later behaviour depends on, as plain data: numbers, texts, lists and objects. A restored agent gets
   * the fields of a copy, so its functions read them from here each time.
   */
  readonly memory: object;
  /** Action while it learns, at step `t` of an episode. */
  act(state: number, t: number): number;
  learn(step: Transition): void;
  /** A place to begin the next episode from, in place of the world’s start; null for the start. */
  returnTo?(): SavedCopies | null;
  /** True if the episode is to be given up for another one. */
  givesUp?(): boolean;
  /** What it has learned to do, without exploration; may not change the memory. */
  policy(): Policy;
  /** Further numbers for the result, such as the size of an archive. */
  readonly facts?: () => { readonly [name: string]: number };
}

type Shape = z.ZodRawShape;

/** One kind of agent: its parameters, and how it begins. */
export interface AgentKind {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  /** Parameters with defaults and descriptions; all are numbers. */
  readonly params: z.ZodObject<Shape>;
  open(setting: Setting, params: Readonly<Record<string, unknown>>): Agent;
}

/** Declares an agent; its parameters reach `open` with their types. */
export const defineAgent = <S extends Shape>(kind: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  readonly params: S;
  readonly open: (setting: Setting, params: z.output<z.ZodObject<S>>) => Agent;
}): AgentKind => {
  const params = z.strictObject(kind.params);
  return {
    ...kind,
    params: params as unknown as z.ZodObject<Shape>,
    open: (setting, given) => kind.open(setting, params.parse(given) as z.output<z.ZodObject<S>>),
  };
};

/** A share from 0 to 1, or to `most`, as a parameter. */
export const share = (usual: number, words: string, most = 1) =>
  z.number().min(0).max(most).default(usual).describe(words);
/** A number above 0, as a parameter. */
export const positive = (usual: number, words: string) =>
  z.number().positive().max(1e6).default(usual).describe(words);
/** A whole number from 1 up, as a parameter. */
export const count = (usual: number, words: string, most = 1_000_000) =>
  z.int().min(1).max(most).default(usual).describe(words);
