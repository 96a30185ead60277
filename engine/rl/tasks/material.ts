/**
 * What a run learns from and is judged on, as text: the task of a RunSpec opened, split by prompt, in a fixed
 * order of draws.
 */
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { permutation } from '../../random/random.ts';
import { promptIdOf } from '../../random/hash.ts';
import { splitOf } from '../../data/split.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import type { Resources } from '../../schema/messages.ts';
import { Demonstration, Preference } from '../../schema/preference.ts';
import type { Message } from '../../schema/conversation.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import { openWorldById, type World } from '../../worlds/index.ts';
import type { Problem } from '../kernel/columns.ts';
import { checkedReferences } from './references.ts';

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
export interface Draws<T> {
  readonly size: number;
  at(draw: number): T;
  /** The same without some items; absent where a world makes them without end. */
  readonly only?: (keep: (item: T) => boolean) => Draws<T>;
}

export interface Material {
  /** What a message calls the task: `label set 'id'`, `dataset 'id'`, `world 'id'`. */
  readonly name: string;
  /** Texts that hold every character of the task, held-out ones included: what an alphabet must spell. */
  readonly texts: readonly string[];
  /** Texts of the training rows: a tokenizer that learns how to cut is trained on these alone. */
  readonly trainingTexts: readonly string[];
  readonly examples?: Draws<Example>;
  /** Right answers alone, as demonstrations of how a prompt is worked. */
  readonly worked?: Draws<Example>;
  readonly graded?: Draws<Graded>;
  readonly problems?: Draws<Problem>;
  readonly pairs?: Draws<Pair>;
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

/**
 * Opens the task of a checked spec. Throws `not-found` for a file that is not there, `invalid-input` with its
 * line where one cannot be read.
 */
export const openMaterial = async (spec: RunSpec, resources: Resources): Promise<Material> => {
  const { world } = spec.evaluation;
  const evaluationWorld = world ? openWorldById(world.id, world.params) : undefined;
  const material = await openers[spec.task.kind](spec, spec.task as never, resources);
  const asked = evaluationWorld ?? material.world;
  return {
    ...material,
    ...(asked && { evaluationWorld: asked }),
    texts: [...material.texts, ...(evaluationWorld ? [evaluationWorld.alphabet] : [])],
  };
};

type Of<K extends RunSpec['task']['kind']> = Extract<RunSpec['task'], { kind: K }>;
const openers: {
  readonly [K in RunSpec['task']['kind']]: (
    spec: RunSpec,
    task: Of<K>,
    resources: Resources,
  ) => Promise<Material> | Material;
} = {
  world: (spec, task) => fromWorld(openWorldById(task.id, task.params), spec),
  dataset: async (spec, { datasetId, heldout, onlyCorrect, roles }, resources) => {
    const name = `dataset '${datasetId}'`;
    const pairFile = resources.preferences[datasetId];
    // a method that learns from preferences is given the dataset's pairs, any other one its rows
    if (pairFile !== undefined) {
      const pairs = await readLines(Preference, pairFile, `preferences of ${name}`);
      return fromRows(
        { name, examples: [], graded: pairs.flatMap(wanted), pairs, prompts: pairs, heldout },
        spec.seed,
      );
    }
    const path = resources.datasets[datasetId];
    const rows = await readLines(Demonstration, path, name);
    const hasReferences = checkedReferences(rows, [...spec.rewards, ...spec.evaluation.rewards], {
      name,
      path,
    });
    // a row without an answer is a prompt alone
    const answered = rows.filter(({ answer, messages }) => answer !== '' || messages);
    const examples = answered
      .filter((row) => !onlyCorrect || row.correct !== false)
      .map(({ messages, where = name, ...row }) => ({
        ...row,
        ...(messages && { conversation: { messages, roles, where } }),
      }));
    const graded = answered.flatMap(({ correct, ...row }) =>
      correct === null ? [] : [{ ...row, right: correct }],
    );
    return fromRows({ name, examples, graded, pairs: [], prompts: rows, heldout, hasReferences }, spec.seed);
  },
  labels: async (spec, { labelSetId, heldout, filter }, resources) => {
    const name = `label set '${labelSetId}'`;
    const pairs = (await readLines(Preference, resources.preferences[labelSetId], name)).filter(
      filters[filter],
    );
    return fromRows(
      { name, examples: [], graded: pairs.flatMap(wanted), pairs, prompts: pairs, heldout },
      spec.seed,
    );
  },
};

/** Both answers of a decided pair as answers that are wanted and unwanted; a tie says neither. */
const wanted = (pair: Preference): Graded[] => {
  const found = decided(pair);
  if (!found || found.agreement === 0.5) return [];
  const { promptId, prompt, chosen, rejected } = found;
  return [
    { promptId, prompt, answer: chosen, right: true },
    { promptId, prompt, answer: rejected, right: false },
  ];
};

/** Answers whose lengths differ by no more than this share of the longer one count as equally long. */
const SIMILAR_LENGTH = 0.1;
const filters: { readonly [F in Of<'labels'>['filter']]: (pair: Preference) => boolean } = {
  all: () => true,
  'differ-in-correctness': ({ correctA, correctB }) =>
    correctA !== null && correctB !== null && correctA !== correctB,
  'equal-length': ({ a, b }) =>
    Math.abs(a.length - b.length) <= SIMILAR_LENGTH * Math.max(a.length, b.length),
};

/** Held-out demonstrations and pairs of a world: the same in every run. */
const HELDOUT_ROWS = 400;

const fromWorld = (world: World, { seed, budget, evaluation }: RunSpec): Material => {
  const draws = budget.steps * budget.batch;
  const preference = world.preference?.bind(world);
  const verdictOf = (index: number, split: 'train' | 'heldout'): Preference | undefined => {
    const found = preference?.(split, index, seed);
    if (!found) return undefined;
    const { promptId, prompt, a, b, better } = found;
    return {
      pairId: `${split}-${index}`,
      promptId,
      prompt,
      a,
      b,
      verdict: better,
      correctA: world.verify(prompt, a).correct,
      correctB: world.verify(prompt, b).correct,
    };
  };
  const heldout = Array.from({ length: Math.min(HELDOUT_ROWS, evaluation.problems) }, (_, i) => i);
  const graded = (index: number, split: 'train' | 'heldout'): Graded => {
    const { correct, ...row } = world.demonstration(index, seed, split);
    const { steps } = world.verify(row.prompt, row.answer);
    return {
      ...row,
      right: correct,
      ...(steps && { steps: steps.map(({ holds, follows }) => holds && follows) }),
    };
  };
  return {
    name: `world '${world.id}'`,
    texts: [world.alphabet],
    trainingTexts: [world.alphabet],
    examples: { size: Infinity, at: (draw) => world.demonstration(draw, seed) },
    worked: { size: Infinity, at: (draw) => rightOf(world, draw, seed) },
    graded: { size: Infinity, at: (draw) => graded(draw, 'train') },
    problems: { size: Infinity, at: (draw) => world.problem('train', draw, seed) },
    ...(preference && {
      pairs: {
        size: draws,
        at: (draw) => ({
          ...(decided(verdictOf(draw, 'train') as Preference) as Pair),
          ...goldOf(world, preference('train', draw, seed)),
        }),
      },
    }),
    heldout: {
      examples: heldout.map((i) => world.demonstration(i, seed, 'heldout')),
      pairs: heldout.map((i) => verdictOf(i, 'heldout')).filter((pair) => pair !== undefined),
      graded: heldout.map((i) => graded(i, 'heldout')),
      problems: [],
    },
    hasReferences: true,
    world,
  };
};

/** The reference of a pair's problem, where it is itself a right answer. */
const goldOf = (
  world: World,
  { prompt, reference }: { readonly prompt: string; readonly reference: string },
): { gold?: string } => (world.verify(prompt, reference).correct ? { gold: reference } : {});

/** Demonstrations looked at for a right one; the rest of a draw's own stretch. */
const STRETCH = 64;

/**
 * The first right demonstration of a draw's stretch of them. Throws `invalid-input` where a world shows none.
 */
const rightOf = (world: World, draw: number, seed: number): Example => {
  for (let at = draw * STRETCH; at < (draw + 1) * STRETCH; at++) {
    const found = world.demonstration(at, seed);
    if (found.correct) return found;
  }
  throw new WhetstoneError(
    'invalid-input',
    `None of ${STRETCH} demonstrations of world '${world.id}' is right, so there is no worked answer to show.`,
    { where: 'task.params' },
  );
};

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
  }[];
  readonly heldout: number;
  readonly hasReferences?: boolean;
}

/**
 * What a row is split by: a conversation goes with the others that begin with the same question, and with
 * that question alone.
 */
const splitKey = ({ promptId, messages }: Rows['prompts'][number]): string => {
  const first = messages?.find(({ role }) => role === 'user');
  return first ? promptIdOf(first.content) : promptId;
};

const fromRows = (
  { name, examples, graded, pairs, prompts, heldout, hasReferences = false }: Rows,
  seed: number,
): Material => {
  const splits = new Map(prompts.map((row) => [row.promptId, splitOf(splitKey(row), heldout)]));
  const isHeldout = ({ promptId }: { promptId: string }) => splits.get(promptId) === 'heldout';
  const trained = pairs
    .filter((pair) => !isHeldout(pair))
    .map(decided)
    .filter((pair) => pair !== undefined);
  const distinct = [
    ...new Map(
      prompts.map(({ promptId, prompt, reference = null }) => [promptId, { promptId, prompt, reference }]),
    ).values(),
  ];
  return {
    name,
    texts: [...textsOf(examples, pairs), ...distinct.map(({ prompt }) => prompt)],
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
    problems: shuffled(
      distinct.filter((row) => !isHeldout(row)),
      seed,
      'prompts',
    ),
    pairs: shuffled(trained, seed, 'pairs'),
    hasReferences,
    heldout: {
      examples: examples.filter(isHeldout),
      pairs: pairs.filter(isHeldout),
      graded: graded.filter(isHeldout),
      // ids are hashes of the prompts: the first ones are no special ones of the file
      problems: hasReferences
        ? distinct.filter(isHeldout).sort((a, b) => (a.promptId < b.promptId ? -1 : 1))
        : [],
    },
  };
};

/** Chosen and rejected; undefined where a person decided neither (both bad, skipped). */
const decided = ({ pairId, promptId, prompt, a, b, verdict }: Preference): Pair | undefined => {
  if (verdict === 'both-bad' || verdict === 'skip') return undefined;
  const [chosen, rejected] = verdict === 'b' ? [b, a] : [a, b];
  return { pairId, promptId, prompt, chosen, rejected, agreement: verdict === 'tie' ? 0.5 : 1 };
};

/** Every item once an epoch, each epoch in an order of its own. */
const shuffled = <T>(items: readonly T[], seed: number, purpose: string): Draws<T> => {
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
      const wanted = Math.floor(draw / items.length);
      if (wanted !== epoch)
        [epoch, order] = [wanted, permutation(items.length, seed, `order of ${purpose}`, wanted)];
      return items[order[draw % items.length]];
    },
  };
};

/** One JSON object a line; every line must fit. */
const readLines = async <S extends z.ZodType>(
  schema: S,
  path: string | undefined,
  what: string,
): Promise<z.output<S>[]> => {
  if (path === undefined)
    throw new WhetstoneError('not-found', `There is no file for ${what}.`, { where: 'task' });
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new WhetstoneError('not-found', `The file of ${what} cannot be read.`, { where: path, cause });
  });
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const where = `${path}:${at + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new WhetstoneError('invalid-input', `${what}: line ${at + 1} is not JSON.`, { where, cause });
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success)
      throw new WhetstoneError(
        'invalid-input',
        `${what}: line ${at + 1}: ${parsed.error.issues[0].message}`,
        { where },
      );
    return [parsed.data];
  });
};
