/** A task's text as rows of tokens: the sources that recipes begin with. */
import { hash32 } from '../../random/random.ts';
import { pause } from '../../pace/index.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import type { TaskKind } from '../../schema/method-info.ts';
import { encodeConversation } from '../../text/chat.ts';
import { encodeExample, encodePrompt, maskOf, type Sequence } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { PerToken, Problem } from '../kernel/columns.ts';
import { CANDIDATES } from '../kernel/control.ts';
import type { Draws, Example, Graded, Material, Pair } from './material.ts';
import type { RewardStack, Tasks } from '../kernel/method.ts';
import { ragged, rowOf } from '../kernel/rows.ts';
import { stage, type Loop } from '../kernel/stage.ts';

export interface SourceOptions {
  readonly tokenizer: Tokenizer;
  /** Longest sequence of the model, and longest answer, in tokens. */
  readonly context: number;
  readonly maxTokens: number;
  readonly stack: RewardStack<'total'>;
}

/**
 * What the run's task offers a method of this kind. Throws `invalid-input` where it offers nothing of the
 * kind.
 */
export const tasksOf = (kind: TaskKind, material: Material, options: SourceOptions): Tasks[TaskKind] => {
  const lacks = (what: string): never => {
    throw new WhetstoneError(
      'invalid-input',
      `There are no ${what} to learn from in the training part of ${material.name}.`,
      { where: 'task', hint: 'Choose a task that has some, hold out less, or filter less.' },
    );
  };
  const some = <T>(draws: Draws<T> | undefined, what: string): Draws<T> =>
    draws && draws.size > 0 ? draws : lacks(what);
  const makers: { readonly [K in TaskKind]: () => Tasks[K] } = {
    demonstrations: () => ({
      demonstrations: demonstrations(some(material.examples, 'demonstrations'), options),
    }),
    answers: () => {
      const graded = some(material.graded, 'answers that are known to be right or wrong');
      return {
        answers: answers(graded, options),
        steps: steps(graded, options, material.name),
        reward: options.stack,
      };
    },
    verifiable: () => ({
      prompts: prompts(material, options),
      guided: guided(material, options),
      reward: options.stack,
    }),
    preferences: () => {
      const pairs = preferring(some(material.pairs, 'decided pairs'), material.name);
      return {
        pairs: pairSource(pairs, options),
        allPairs: pairSource(pairs, options, pairs.size),
        triples: tripleSource(pairs, options),
        count: pairs.size,
      };
    },
    prompts: () => ({ prompts: prompts(material, options), scores: options.stack }),
  };
  return makers[kind]();
};

/**
 * The pairs, of which one at least must prefer a side: ties alone teach nothing, and a run of them would end
 * well without having learned.
 */
const preferring = (pairs: Draws<Pair>, name: string): Draws<Pair> => {
  if (pairs.only?.(({ agreement }) => agreement !== 0.5).size === 0) {
    throw new WhetstoneError(
      'invalid-input',
      `All ${pairs.size} training pairs of ${name} are ties, so there is no preference to learn.`,
      {
        where: 'task',
        hint: 'Decide for one answer in some pairs, hold out less, or filter less.',
      },
    );
  }
  return pairs;
};

const drawn = <T>(draws: Draws<T>, { draw, batch }: Loop): T[] =>
  Array.from({ length: batch }, (_, i) => draws.at(draw * batch + i));
const ids = (items: readonly { readonly promptId: string }[]): Float64Array =>
  Float64Array.from(items, ({ promptId }) => hash32(promptId));
const ones = (n: number): Float64Array => new Float64Array(n).fill(1);

/**
 * Sequences of texts that come again (every epoch, every evaluation), by tokenizer; what exceeds the bound is
 * encoded each time.
 */
const sequences = new WeakMap<Tokenizer, Map<string, Pick<Sequence, 'tokens' | 'spans'>>>();
const MOST_SEQUENCES = 16_384;

type Row = Pick<Example, 'prompt' | 'answer' | 'conversation'>;

/**
 * A row as the model reads it, whole. Throws `invalid-input` where it cannot be spelled or put into the
 * template.
 */
export const sequenceOf = (
  tokenizer: Tokenizer,
  { prompt, answer, conversation }: Row,
): Pick<Sequence, 'tokens' | 'spans'> => {
  const known = sequences.get(tokenizer) ?? new Map<string, Pick<Sequence, 'tokens' | 'spans'>>();
  sequences.set(tokenizer, known);
  const key = conversation
    ? JSON.stringify([conversation.messages, conversation.roles])
    : `${prompt}\u0000${answer}`;
  const found =
    known.get(key) ??
    (conversation ? conversationOf(tokenizer, conversation) : encodeExample(tokenizer, prompt, answer));
  if (known.size < MOST_SEQUENCES) known.set(key, found);
  return found;
};

/** A conversation in the model's template; what is wrong with one is said with its file, line and field. */
const conversationOf = (
  tokenizer: Tokenizer,
  { messages, roles, where }: NonNullable<Example['conversation']>,
): Pick<Sequence, 'tokens' | 'spans'> => {
  const at = `${where}, messages`;
  try {
    const encoded = encodeConversation(tokenizer, messages, roles);
    if (encoded.spans.some(([, , , trainable]) => trainable)) return encoded;
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    throw new WhetstoneError(error.kind, error.message, {
      where: at,
      hint: error.hint ?? 'Correct the conversation, or use a model whose template takes it.',
      cause: error,
    });
  }
  throw new WhetstoneError(
    'invalid-input',
    `This conversation has no message that would be learned: none is of the roles ${roles.join(', ')}.`,
    { where: at, hint: 'Choose other roles for the run (task.roles), or leave the conversation out.' },
  );
};

const tooLong = (tokens: number, context: number, prompt: string): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    `A row has ${tokens} tokens; the model reads ${context}: "${prompt.slice(0, 60)}"`,
    {
      where: 'models.policy.architecture.context',
      hint: 'Use a model with a longer context, a tokenizer with longer tokens, or shorter rows.',
    },
  );

/**
 * Every row of a file that a method of this kind reads, encoded once and remembered: thousands of rows take
 * seconds, which are told and can be stopped.
 */
export const encodeAhead = async (
  { examples, graded, pairs, heldout }: Pick<Material, 'examples' | 'graded' | 'pairs' | 'heldout'>,
  kind: TaskKind,
  tokenizer: Tokenizer,
): Promise<void> => {
  const all = <T>(draws: Draws<T> | undefined): T[] =>
    draws && Number.isFinite(draws.size) && draws.only
      ? Array.from({ length: draws.size }, (_, i) => draws.at(i))
      : [];
  const rows: Readonly<Partial<Record<TaskKind, () => readonly Row[]>>> = {
    demonstrations: () => [...all(examples), ...heldout.examples],
    answers: () => [...all(graded), ...heldout.graded],
    preferences: () => [
      ...all(pairs).flatMap(({ prompt, chosen, rejected }) => [
        { prompt, answer: chosen },
        { prompt, answer: rejected },
      ]),
      ...heldout.pairs.flatMap(({ prompt, a, b }) => [
        { prompt, answer: a },
        { prompt, answer: b },
      ]),
    ],
  };
  const own = rows[kind]?.() ?? [];
  for (const [at, row] of own.entries()) {
    await pause(at / own.length);
    sequenceOf(tokenizer, row);
  }
};

/**
 * Examples as tokens and masks; an answer that does not fit the model's context is refused with its prompt.
 */
export const encodeRows = (
  rows: readonly Example[],
  { tokenizer, context }: Pick<SourceOptions, 'tokenizer' | 'context'>,
): { tokens: PerToken<Int32Array>; mask: PerToken<Uint8Array> } => {
  const encoded = rows.map((row) => sequenceOf(tokenizer, row));
  const long = encoded.findIndex(({ tokens }) => tokens.length > context);
  if (long >= 0) throw tooLong(encoded[long].tokens.length, context, rows[long].prompt);
  return {
    tokens: ragged(
      encoded.map(({ tokens }) => tokens),
      Int32Array,
    ),
    mask: ragged(
      encoded.map(({ spans, tokens }) => maskOf(spans, tokens.length)),
      Uint8Array,
    ),
  };
};

const demonstrations = (draws: Draws<Example>, options: SourceOptions) =>
  stage({
    id: 'demonstrations',
    needs: [],
    adds: ['promptId', 'weight', 'tokens', 'mask'],
    run: async (_, loop) => {
      const rows = drawn(draws, loop);
      return { columns: { promptId: ids(rows), weight: ones(rows.length), ...encodeRows(rows, options) } };
    },
  });

/** The next problems: in order, or those that a controller chooses of the candidates. */
const nextProblems = (problems: Pick<Draws<Problem>, 'at'>, loop: Loop): readonly Problem[] => {
  const { draw, batch, control } = loop;
  if (!control.chooses) return Array.from({ length: batch }, (_, i) => problems.at(draw * batch + i));
  const candidates = Array.from({ length: batch * CANDIDATES }, (_, i) =>
    problems.at(draw * batch * CANDIDATES + i),
  );
  return control.choose(candidates, batch, loop);
};

/**
 * The next problems, each with as much of its worked answer behind its prompt as a controller says, but never
 * so much that no answer fits.
 */
const hinted = (worked: Draws<Example> | undefined, loop: Loop, options: SourceOptions, name: string) => {
  if (!worked || worked.size === 0) {
    throw new WhetstoneError(
      'invalid-input',
      `There are no right worked answers in the training part of ${name}, so a controller cannot show any of them.`,
      {
        where: 'controllers',
        hint:
          'Leave the controller out, or choose a task that has some: a world, or a dataset with answers ' +
          'that are marked right.',
      },
    );
  }
  const examples = new Map<Problem, Example>();
  const problems = nextProblems(
    {
      at: (draw) => {
        const example = worked.at(draw);
        const problem = problemOf(example);
        examples.set(problem, example);
        return problem;
      },
    },
    loop,
  );
  const shares = loop.control.shown(problems, loop);
  const prompts = encodePrompts(problems, options);
  const rows = problems.map((problem, p) => {
    const prompt = rowOf(prompts, p);
    const answer = options.tokenizer.encode(examples.get(problem)?.answer ?? '');
    const length = Math.min(
      Math.round(shares[p] * answer.length),
      options.context - options.maxTokens - prompt.length,
    );
    const tokens = [...answer.slice(0, Math.max(0, length))];
    return {
      problem: { ...problem, hint: { share: shares[p], tokens } },
      prompt: Int32Array.of(...prompt, ...tokens),
    };
  });
  return {
    problem: rows.map((row) => row.problem),
    prompt: ragged(
      rows.map((row) => row.prompt),
      Int32Array,
    ),
  };
};

const prompts = ({ problems, worked, name }: Material, options: SourceOptions) =>
  stage({
    id: 'prompts',
    needs: [],
    adds: ['promptId', 'problem', 'prompt'],
    run: async (_, loop) => {
      if (!problems || problems.size === 0)
        throw new WhetstoneError('invalid-input', 'The task has no prompts.', { where: 'task' });
      if (loop.control.hints) {
        const rows = hinted(worked, loop, options, name);
        return { columns: { promptId: ids(rows.problem), ...rows } };
      }
      const problem = nextProblems(problems, loop);
      return { columns: { promptId: ids(problem), problem, prompt: encodePrompts(problem, options) } };
    },
  });

const problemOf = ({ promptId, prompt, reference = null, level }: Example): Problem => ({
  promptId,
  prompt,
  reference,
  ...(level !== undefined && { level }),
});

/** Prompts with a right worked answer each, end mark included. */
const guided = ({ worked, name }: Material, options: SourceOptions) =>
  stage({
    id: 'guided prompts',
    needs: [],
    adds: ['promptId', 'problem', 'prompt', 'worked'],
    run: async (_, loop) => {
      if (!worked || worked.size === 0)
        throw new WhetstoneError(
          'invalid-input',
          `There are no right worked answers in the training part of ${name}.`,
          {
            where: 'task',
            hint: 'Choose a task that has some: a world, or a dataset with answers that are marked right.',
          },
        );
      const rows = drawn(worked, loop);
      return {
        columns: {
          promptId: ids(rows),
          problem: rows.map(problemOf),
          prompt: encodePrompts(rows, options),
          worked: ragged(
            rows.map(({ answer }) =>
              Int32Array.of(...options.tokenizer.encode(answer), options.tokenizer.end),
            ),
            Int32Array,
          ),
        },
      };
    },
  });

/** Columns that every source of stored answers fills. Rows of one prompt are one group. */
const answered = (rows: readonly Graded[], { tokenizer }: SourceOptions) => ({
  promptId: ids(rows),
  groupId: ids(rows),
  problem: rows.map(problemOf),
  prompt: ragged(
    rows.map(({ prompt }) => encodePrompt(tokenizer, prompt)),
    Int32Array,
  ),
  weight: ones(rows.length),
  completion: rows.map(({ answer }) => answer),
  ended: ones(rows.length),
  label: Float64Array.from(rows, ({ right }) => Number(right)),
});

const answers = (graded: Draws<Graded>, options: SourceOptions) =>
  stage({
    id: 'answers',
    needs: [],
    adds: [
      'promptId',
      'groupId',
      'problem',
      'prompt',
      'weight',
      'tokens',
      'mask',
      'completion',
      'ended',
      'label',
    ],
    run: async (_, loop) => {
      const rows = drawn(graded, loop);
      return { columns: { ...answered(rows, options), ...encodeRows(rows, options) } };
    },
  });

/**
 * The same with the end of each line marked, and whether the line is right. Lines are tokenized one by one,
 * so that each ends at a token's end.
 */
const steps = (graded: Draws<Graded>, options: SourceOptions, name: string) =>
  stage({
    id: 'steps',
    needs: [],
    adds: [
      'promptId',
      'groupId',
      'problem',
      'prompt',
      'weight',
      'tokens',
      'mask',
      'completion',
      'ended',
      'label',
      'stepEnd',
      'stepRight',
    ],
    run: async (_, loop) => {
      const rows = drawn(graded, loop);
      return { columns: { ...answered(rows, options), ...stepColumns(rows, options, name) } };
    },
  });

/**
 * An answer line by line: its tokens with those of its prompt, the first token of the answer, and the last
 * token of each line.
 */
export const linesOf = (
  tokenizer: Tokenizer,
  { prompt, answer }: Pick<Row, 'prompt' | 'answer'>,
): { readonly tokens: readonly number[]; readonly start: number; readonly ends: readonly number[] } => {
  const tokens = [...encodePrompt(tokenizer, prompt)];
  const start = tokens.length;
  const ends: number[] = [];
  const lines = answer.split('\n');
  lines.forEach((line, at) => {
    tokens.push(...tokenizer.encode(at < lines.length - 1 ? `${line}\n` : line));
    ends.push(tokens.length - 1);
  });
  return { tokens: [...tokens, tokenizer.end], start, ends };
};

/** Answers as tokens, line by line, with marks on the last token of each line that has a verdict. */
export const stepColumns = (
  rows: readonly Graded[],
  { tokenizer, context }: Pick<SourceOptions, 'tokenizer' | 'context'>,
  name: string,
) => {
  const made = rows.map((row) => {
    const { prompt, steps: verdicts } = row;
    if (!verdicts)
      throw new WhetstoneError('unsupported', `The answers of ${name} have no verdicts on their steps.`, {
        where: 'task',
        hint: 'Choose a world that judges worked lines, such as arithmetic.',
      });
    const { tokens, start, ends } = linesOf(tokenizer, row);
    if (tokens.length > context) throw tooLong(tokens.length, context, prompt);
    const marks = (keep: (right: boolean) => boolean) => {
      const marked = new Uint8Array(tokens.length);
      verdicts.slice(0, ends.length).forEach((right, line) => {
        if (keep(right)) marked[ends[line]] = 1;
      });
      return marked;
    };
    return {
      tokens,
      mask: new Uint8Array(tokens.length).fill(1, start),
      stepEnd: marks(() => true),
      stepRight: marks((right) => right),
    };
  });
  return {
    tokens: ragged(
      made.map((row) => row.tokens),
      Int32Array,
    ),
    mask: ragged(
      made.map((row) => row.mask),
      Uint8Array,
    ),
    stepEnd: ragged(
      made.map((row) => row.stepEnd),
      Uint8Array,
    ),
    stepRight: ragged(
      made.map((row) => row.stepRight),
      Uint8Array,
    ),
  };
};

/** Prompts as tokens; one that leaves too little room for an answer is refused. */
export const encodePrompts = (
  problems: readonly { readonly prompt: string }[],
  { tokenizer, context, maxTokens }: Pick<SourceOptions, 'tokenizer' | 'context' | 'maxTokens'>,
): PerToken<Int32Array> => {
  const rows = problems.map(({ prompt }) => encodePrompt(tokenizer, prompt));
  const long = rows.findIndex((row) => row.length + maxTokens > context);
  if (long >= 0) {
    throw new WhetstoneError(
      'invalid-input',
      `A prompt of ${rows[long].length} tokens and an answer of ${maxTokens} do not fit the model's ` +
        `${context}: "${problems[long].prompt.slice(0, 60)}"`,
      {
        where: 'sampling.maxTokens',
        hint: 'Ask for shorter answers, or use a model with a longer context.',
      },
    );
  }
  return ragged(rows, Int32Array);
};

const pairColumns = [
  'promptId',
  'problem',
  'prompt',
  'pairId',
  'chosen',
  'agreement',
  'weight',
  'tokens',
  'mask',
] as const;

/**
 * The rows of each pair, `size` of them one after another: chosen, rejected, and what `more` puts behind
 * them.
 */
const inUnits = (
  pairs: readonly Pair[],
  size: number,
  options: SourceOptions,
  more: (pair: Pair) => readonly Example[] = () => [],
) => {
  const rows = pairs.flatMap((pair) => {
    const { promptId, prompt, chosen, rejected } = pair;
    return [{ promptId, prompt, answer: chosen }, { promptId, prompt, answer: rejected }, ...more(pair)];
  });
  const each = (of: (pair: Pair, p: number, side: number) => number) =>
    Float64Array.from(rows, (_row, r) => of(pairs[Math.floor(r / size)], Math.floor(r / size), r % size));
  return {
    promptId: ids(rows),
    problem: rows.map(problemOf),
    prompt: ragged(
      rows.map(({ prompt }) => encodePrompt(options.tokenizer, prompt)),
      Int32Array,
    ),
    pairId: each((_pair, p) => p),
    chosen: each((_pair, _p, side) => Number(side === 0)),
    agreement: each((pair) => pair.agreement),
    weight: ones(rows.length),
    ...encodeRows(rows, options),
  };
};

const pairSource = (draws: Draws<Pair>, options: SourceOptions, all?: number) =>
  stage({
    id: all === undefined ? 'pairs' : 'all pairs',
    needs: [],
    adds: pairColumns,
    run: async (_, loop) => ({
      columns: inUnits(
        all === undefined ? drawn(draws, loop) : Array.from({ length: all }, (_row, i) => draws.at(i)),
        2,
        options,
      ),
    }),
  });

/** Pairs with a third row each: a right answer to the prompt, or the chosen one where none is known. */
const tripleSource = (draws: Draws<Pair>, options: SourceOptions) =>
  stage({
    id: 'triples',
    needs: [],
    adds: pairColumns,
    run: async (_, loop) => ({
      columns: inUnits(drawn(draws, loop), 3, options, ({ promptId, prompt, chosen, gold }) => [
        { promptId, prompt, answer: gold ?? chosen },
      ]),
    }),
  });
