/** Makes task data from stored rows: split by prompt, reshuffled every epoch. */
import { splitOf } from '../../data/split.ts';
import { promptIdOf } from '../../random/hash.ts';
import { permutation } from '../../random/random.ts';
import type { Message } from '../../schema/conversation.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { Preference } from '../../schema/preference.ts';
import { decided } from './decisions.ts';
import type { Problem } from '../kernel/columns.ts';
import type { IndexedStream, Example, Graded, TaskData } from './task-data.ts';

const textsOf = (examples: readonly Example[], pairs: readonly Preference[]): string[] => [
  ...examples.flatMap(({ prompt, answer }) => [prompt, answer]),
  ...pairs.flatMap(({ prompt, a, b }) => [prompt, a, b]),
];

interface Rows {
  readonly name: string;
  readonly examples: readonly Example[];
  readonly graded: readonly Graded[];
  readonly pairs: readonly Preference[];
  readonly prompts: readonly {
    readonly promptId: string;
    readonly prompt: string;
    readonly reference?: string | null;
    readonly messages?: readonly Message[];
    readonly split?: 'train' | 'heldout';
  }[];
  readonly heldout: number;
  readonly hasReferences?: boolean;
}

/**
 * Key of a row for the train/held-out split. A conversation is keyed by its first question, so that all that
 * begin with it, and the question by itself, are in the same part.
 */
const splitKey = ({ promptId, messages }: Rows['prompts'][number]): string => {
  const first = messages?.find(({ role }) => role === 'user');
  return first ? promptIdOf(first.content) : promptId;
};

type Placed = Pick<Rows['prompts'][number], 'promptId' | 'split'>;

/** A test whether a row is held out: by a split of its dataset, else by the share of the prompts. */
export const heldoutOf = (prompts: Rows['prompts'], share: number): ((row: Placed) => boolean) => {
  const splits = new Map(prompts.map((row) => [row.promptId, splitOf(splitKey(row), share)]));
  return ({ promptId, split }) => (split ?? splits.get(promptId)) === 'heldout';
};

/** Rows in the order of their prompts' ids: these are hashes, so that the first rows are a random choice. */
export const byPromptId = <T extends Pick<Placed, 'promptId'>>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a.promptId < b.promptId ? -1 : Number(a.promptId > b.promptId)));

/** One problem for each prompt. */
export const distinctPrompts = (rows: Rows['prompts']): Problem[] => [
  ...new Map(
    rows.map(({ promptId, prompt, reference = null }) => [promptId, { promptId, prompt, reference }]),
  ).values(),
];

/** Task data made from stored rows. */
export const fromRows = (
  { name, examples, graded, pairs, prompts, heldout, hasReferences = false }: Rows,
  seed: number,
): TaskData => {
  const isHeldout = heldoutOf(prompts, heldout);
  const trained = pairs
    .filter((pair) => !isHeldout(pair))
    .map(decided)
    .filter((pair) => pair !== undefined);
  const [own, kept] = [
    distinctPrompts(prompts.filter((row) => !isHeldout(row))),
    distinctPrompts(prompts.filter(isHeldout)),
  ];
  return {
    name,
    // wrong answers are no examples, but judges read them
    texts: [
      ...textsOf(examples, pairs),
      ...graded.map(({ answer }) => answer),
      ...distinctPrompts(prompts).map(({ prompt }) => prompt),
    ],
    trainingTexts: textsOf(
      examples.filter((row) => !isHeldout(row)),
      pairs.filter((pair) => !isHeldout(pair)),
    ),
    examples: shuffled(
      examples.filter((row) => !isHeldout(row)),
      seed,
      'examples',
    ),
    worked: shuffled(
      graded.filter((row) => row.right && !isHeldout(row)),
      seed,
      'worked answers',
    ),
    graded: shuffled(
      graded.filter((row) => !isHeldout(row)),
      seed,
      'graded answers',
    ),
    problems: shuffled(own, seed, 'prompts'),
    pairs: shuffled(trained, seed, 'pairs'),
    hasReferences,
    heldout: {
      examples: examples.filter(isHeldout),
      pairs: pairs.filter(isHeldout),
      graded: graded.filter(isHeldout),
      problems: hasReferences ? byPromptId(kept) : [],
    },
  };
};

/** Every item once an epoch, in a new order each epoch. */
const shuffled = <T>(items: readonly T[], seed: number, purpose: string): IndexedStream<T> => {
  let epoch = -1;
  let order: number[] = [];
  return {
    size: items.length,
    only: (keep) => shuffled(items.filter(keep), seed, purpose),
    at: (draw) => {
      if (items.length === 0)
        throw new WhetstoneError('invalid-input', `The task has no ${purpose} to learn from.`, {
          where: 'task',
          hint: 'Choose a task that has some, hold out less, or filter less.',
        });
      const drawnEpoch = Math.floor(draw / items.length);
      if (drawnEpoch !== epoch)
        [epoch, order] = [drawnEpoch, permutation(items.length, seed, `order of ${purpose}`, drawnEpoch)];
      return items[order[draw % items.length]];
    },
  };
};
