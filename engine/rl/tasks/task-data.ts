/**
 * What a run learns from and is judged on, as text: the task of a RunSpec opened, split by prompt, in a fixed
 * order of draws.
 */
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
  /**
   * The conversation that prompt and answer stand for, whose messages of it are learned, and the file and
   * line that it came from.
   */
  readonly conversation?: {
    readonly messages: readonly Message[];
    readonly roles: readonly string[];
    readonly where: string;
  };
}

/**
 * A stored answer and whether it is right (or wanted). `steps`: of each of its lines, whether it is right,
 * where the task can tell.
 */
export interface Graded extends Example {
  readonly right: boolean;
  readonly steps?: readonly boolean[];
}

/**
 * A decided pair. `agreement` is the probability that the chosen answer is better: 1, or ½ for a tie. `gold`:
 * a right answer, where one is known.
 */
export interface Pair {
  readonly pairId: string;
  readonly promptId: string;
  readonly prompt: string;
  readonly chosen: string;
  readonly rejected: string;
  readonly agreement: number;
  readonly gold?: string;
}

/**
 * Items by number of draw: endless, in an order that the seed fixes. `size` is how many different ones there
 * are.
 */
export interface IndexedStream<T> {
  readonly size: number;
  at(draw: number): T;
  /** The same without some items; absent where a world makes them without end. */
  readonly only?: (keep: (item: T) => boolean) => IndexedStream<T>;
}

export interface TaskData {
  /** What a message calls the task: `label set 'id'`, `dataset 'id'`, `world 'id'`. */
  readonly name: string;
  /** Texts that hold every character of the task, held-out ones included: what an alphabet must spell. */
  readonly texts: readonly string[];
  /** Texts of the training rows: a tokenizer that learns how to cut is trained on these alone. */
  readonly trainingTexts: readonly string[];
  readonly examples?: IndexedStream<Example>;
  /** Right answers alone, as demonstrations of how a prompt is worked. */
  readonly worked?: IndexedStream<Example>;
  readonly graded?: IndexedStream<Graded>;
  readonly problems?: IndexedStream<Problem>;
  readonly pairs?: IndexedStream<Pair>;
  /** Whether every problem has an expected answer. */
  readonly hasReferences: boolean;
  /**
   * Never trained on; split by prompt. `problems`: of a dataset with references, in an order that is the same
   * in every run.
   */
  readonly heldout: {
    readonly examples: readonly Example[];
    readonly pairs: readonly Preference[];
    readonly graded: readonly Graded[];
    readonly problems: readonly Problem[];
  };
  /** The world that rewards may ask. */
  readonly world?: World;
  /** What held-out problems are asked of at evaluation. */
  readonly evaluationWorld?: World;
}
