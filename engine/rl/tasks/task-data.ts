/** Task data of a run as text: training and held-out rows, split by prompt, in a deterministic order. */
import type { ControlWorld, Watched } from '../../control/index.ts';
import type { Message } from '../../schema/conversation.ts';
import type { Preference } from '../../schema/preference.ts';
import type { World } from '../../worlds/index.ts';
import type { Problem } from '../kernel/columns.ts';

export interface Example {
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly reference?: string | null;
  readonly level?: number;
  /** Its side by a split of the dataset; without one, that of its prompt. */
  readonly split?: 'train' | 'heldout';
  /** The conversation behind prompt and answer, which of its messages are learned, and its file and line. */
  readonly conversation?: {
    readonly messages: readonly Message[];
    readonly roles: readonly string[];
    readonly where: string;
  };
}

/**
 * A stored answer with its verdict: right (or desirable), or not. `steps`: the verdict on each line, for
 * tasks with verdicts on steps; null for lines without one.
 */
export interface Graded extends Example {
  readonly right: boolean;
  readonly steps?: readonly (boolean | null)[];
}

/**
 * A preference pair. `agreement` is the probability that the chosen answer is better: 1, ½ for a tie, or
 * between. `gold`: a known right answer, if any.
 */
export interface Pair {
  readonly pairId: string;
  readonly promptId: string;
  readonly prompt: string;
  readonly chosen: string;
  readonly rejected: string;
  readonly agreement: number;
  readonly gold?: string;
  /** Weight in the loss; 1 if absent. */
  readonly weight?: number;
  /** How much better the chosen answer is, 1 to 3; 2 if absent. */
  readonly strength?: number;
}

/**
 * Items by draw number: an endless stream in an order fixed by the seed. `size` is the number of distinct
 * items.
 */
export interface IndexedStream<T> {
  readonly size: number;
  at(draw: number): T;
  /** The stream filtered by `keep`; absent for a world's endless stream. */
  readonly only?: (keep: (item: T) => boolean) => IndexedStream<T>;
}

/** Rows of a dataset that a further evaluation measures; only those of its measure. */
export interface EvaluatedRows {
  /** Name of the dataset in messages. */
  readonly name: string;
  readonly problems: readonly Problem[];
  readonly examples: readonly Example[];
  readonly pairs: readonly Preference[];
  /** Prompts that the run trains on; empty for a world, which never repeats a held-out problem. */
  readonly trained: ReadonlySet<string>;
}

export interface TaskData {
  /** Name of the task in messages: `label set 'id'`, `dataset 'id'`, `world 'id'`. */
  readonly name: string;
  /** Texts with every character of the task, including held-out rows, for a tokenizer's alphabet. */
  readonly texts: readonly string[];
  /** Texts of the training rows, the only ones that a BPE tokenizer is trained on. */
  readonly trainingTexts: readonly string[];
  readonly examples?: IndexedStream<Example>;
  /** Right worked answers only, as demonstrations. */
  readonly worked?: IndexedStream<Example>;
  readonly graded?: IndexedStream<Graded>;
  readonly problems?: IndexedStream<Problem>;
  readonly pairs?: IndexedStream<Pair>;
  /** True if every problem has an expected answer. */
  readonly hasReferences: boolean;
  /**
   * Held-out split, by prompt. `problems`: from a dataset with references, in the same order in every run.
   */
  readonly heldout: {
    readonly examples: readonly Example[];
    readonly pairs: readonly Preference[];
    readonly graded: readonly Graded[];
    readonly problems: readonly Problem[];
  };
  /** World of the rewards, if any. */
  readonly world?: World;
  /** World of the held-out problems at evaluation. */
  readonly evaluationWorld?: World;
  /** The control world that copies act in; a task with one has no texts. */
  readonly control?: ControlWorld;
  /** The charts that measure what is done there, and pay for it. */
  readonly charts?: readonly Watched[];
  /** Rows of the further evaluations on datasets, by name. */
  readonly evaluated?: { readonly [name: string]: EvaluatedRows };
}
