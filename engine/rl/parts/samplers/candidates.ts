/** Candidates of a search: whole or partial answers that the model writes, valued by a stack, as rows. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { Problem, TextPort } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage, type StageContext } from '../../kernel/stage.ts';

/** A partial or whole answer. */
export interface Candidate {
  /** Tokens of the answer so far, with their log-probabilities; how many of them were written last. */
  readonly tokens: readonly number[];
  readonly logp: readonly number[];
  readonly fresh: number;
  /** How many of them, from the first one on, were taken from its parent. */
  readonly given: number;
  readonly text: string;
  /** It has ended, or has no room left. */
  readonly isDone: boolean;
  /** The model ended it itself. */
  readonly ended: boolean;
  /** The candidate that it continues or changes: its place among those of its search; −1 for none. */
  readonly parent: number;
  readonly value: number;
  /** Its number among the samples of its problem, and the raw value of each scorer. */
  readonly sample: number;
  readonly scores: { readonly [scorer: string]: number };
}

export interface Growing {
  readonly problem: number;
  readonly parent: number;
  /** What is kept of an answer, and continued; null: the empty answer. */
  readonly candidate: Pick<Candidate, 'tokens' | 'logp'> | null;
  /** A text that the model reads in place of the prompt; one that leaves no room is not shown. */
  readonly shown?: string;
}
/** Continues candidates of problems, and values the results. */
export type Grow = (from: readonly Growing[]) => Promise<readonly Candidate[]>;

export interface Searched {
  /** Every candidate, in the order in which they were written. */
  readonly tried: readonly Candidate[];
  /** Place of the answer that the search ends with. */
  readonly pick: number;
}

/** The places of the best distinct texts: another candidate with the same text adds nothing. */
export const bestOf = (tried: readonly Candidate[], places: readonly number[], count: number): number[] => {
  const ranked = places.toSorted((a, b) => tried[b].value - tried[a].value || a - b);
  const first = new Map(ranked.toReversed().map((place) => [tried[place].text, place]));
  return ranked.filter((place) => first.get(tried[place].text) === place).slice(0, count);
};

/** The token of a line break. Throws `unsupported` for a tokenizer without one. */
export const lineBreak = (text: Pick<TextPort, 'encode'>): number => {
  const [token, ...more] = text.encode('\n');
  if (token !== undefined && more.length === 0) return token;
  throw new WhetstoneError('unsupported', 'The tokenizer has no token for a line break.', {
    where: 'models.policy',
    hint: 'Choose a model whose tokenizer has one, or search with whole answers.',
  });
};

interface Asked {
  readonly problem: readonly Problem[];
  readonly prompts: readonly Int32Array[];
}

/**
 * Samples a line, or the rest of the answer, after each candidate, and values the result; each sample of a
 * prompt has its own number.
 */
const growerOf = (
  { problem, prompts }: Asked,
  stack: RewardStack<'total'>,
  { text, sample }: StageContext,
  by: 'line' | 'answer',
): Grow => {
  const end = by === 'line' ? lineBreak(text) : -1;
  const given = new Map<string, number>();
  const numberOf = ({ promptId }: Problem): number => {
    const number = given.get(promptId) ?? 0;
    given.set(promptId, number + 1);
    return number;
  };
  const readBy = ({ problem: p, candidate, shown }: Growing): Int32Array => {
    const own = shown === undefined ? prompts[p] : text.prompt(shown);
    const kept = candidate?.tokens.length ?? 0;
    return own.length + Math.max(kept + 1, text.maxTokens) <= text.context ? own : prompts[p];
  };
  return async (from) => {
    const read = from.map(readBy);
    const starts = from.map(({ candidate }, r) => Int32Array.of(...read[r], ...(candidate?.tokens ?? [])));
    const asked = from.map(({ problem: p }) => problem[p]);
    const numbers = Float64Array.from(asked, numberOf);
    const answers = await sample(ragged(starts, Int32Array), asked, numbers, {
      ...(by === 'line' && { ends: [text.end, end] }),
      limits: from.map(({ candidate }) => text.maxTokens - (candidate?.tokens.length ?? 0)),
    });
    const grown = from.map(({ parent, candidate }, r) => {
      const tokens = [...rowOf(answers.tokens, r).subarray(read[r].length)];
      const isLine = by === 'line' && tokens.at(-1) === end && answers.ended[r] === 1;
      return {
        parent,
        tokens,
        logp: [...(candidate?.logp ?? []), ...rowOf(answers.behaviorLogp, r).subarray(starts[r].length)],
        fresh: tokens.length - (candidate?.tokens.length ?? 0),
        given: candidate?.tokens.length ?? 0,
        text: text.decode(tokens),
        ended: answers.ended[r] === 1 && !isLine,
        isDone: !isLine || tokens.length >= text.maxTokens,
        sample: numbers[r],
      };
    });
    const { value, raw } = await stack.score({
      problem: asked,
      // with its line break, at which a process verifier judges a line
      completion: grown.map((each) => each.text),
      tokens: answers.tokens,
      mask: answers.mask,
      ended: Float64Array.from(grown, ({ ended }) => Number(ended)),
    });
    const scorers = Object.entries(raw);
    return grown.map((each, r) => ({
      ...each,
      value: value[r],
      scores: Object.fromEntries(scorers.map(([scorer, values]) => [scorer, values[r]])),
    }));
  };
};

/** A candidate as a row: its problem, the size of its search, and 1 if that search ends with it. */
interface Row {
  readonly problem: number;
  readonly size: number;
  readonly pick: number;
  readonly candidate: Candidate;
  /** Number of its parent among the samples of the problem; −1 without one. */
  readonly parent: number;
}

const columnsOf = (rows: readonly Row[], prompts: readonly Int32Array[]) => ({
  tokens: ragged(rows, Int32Array, ({ problem, candidate }) => [...prompts[problem], ...candidate.tokens]),
  mask: ragged(rows, Uint8Array, ({ problem, candidate }) => [
    ...prompts[problem].map(() => 0),
    ...candidate.tokens.map(() => 1),
  ]),
  behaviorLogp: ragged(rows, Float32Array, ({ problem, candidate }) => [
    ...prompts[problem].map(() => 0),
    ...candidate.logp,
  ]),
  completion: rows.map(({ candidate }) => candidate.text),
  ended: Float64Array.from(rows, ({ candidate }) => Number(candidate.ended)),
  sample: Float64Array.from(rows, ({ candidate }) => candidate.sample),
  groupId: Float64Array.from(rows, ({ problem }) => problem),
  weight: new Float64Array(rows.length).fill(1),
  'reward/total': Float64Array.from(rows, ({ candidate }) => candidate.value),
  'row/tokens': Float64Array.from(rows, ({ candidate }) => candidate.fresh),
  'row/given': Float64Array.from(rows, ({ candidate }) => candidate.given),
  'row/parent': Float64Array.from(rows, ({ parent }) => parent),
  'row/size': Float64Array.from(rows, ({ size }) => size),
  'row/pick': Float64Array.from(rows, ({ pick }) => pick),
});

/** Columns of the rows of a search. */
const searchColumns = [
  'groupId',
  'sample',
  'weight',
  'tokens',
  'mask',
  'behaviorLogp',
  'completion',
  'ended',
  'reward/total',
  'row/tokens',
  'row/given',
  'row/parent',
  'row/size',
  'row/pick',
] as const;

/**
 * Every candidate of the searches of each size as a row, partial answers included; `row/tokens` are those that
 * were written for it. One search per problem and size.
 */
const searchRows = async (
  sizes: readonly number[],
  prompts: readonly Int32Array[],
  search: (size: number) => Promise<readonly Searched[]>,
) => {
  const rows: Row[] = [];
  for (const size of sizes)
    (await search(size)).forEach(({ tried, pick }, p) =>
      tried.forEach((candidate, at) => {
        const parent = candidate.parent < 0 ? -1 : tried[candidate.parent].sample;
        rows.push({ problem: p, size, pick: Number(at === pick), candidate, parent });
      }),
    );
  const scorers = Object.keys(rows[0]?.candidate.scores ?? {});
  return {
    from_R: Uint32Array.from(rows, (row) => row.problem),
    columns: columnsOf(rows, prompts),
    raw: Object.fromEntries(
      scorers.map((scorer) => [scorer, Float64Array.from(rows, ({ candidate }) => candidate.scores[scorer])]),
    ),
  };
};

interface SearchPlan {
  readonly id: string;
  /** What one continuation adds: a line, or the rest of an answer. */
  readonly by: 'line' | 'answer';
  /** Sizes of the searches, each of its own candidates. */
  readonly sizes: readonly number[];
  /** A search of one size for each problem, given its text. */
  readonly search: (
    problems: readonly string[],
    size: number,
    grow: Grow,
    text: TextPort,
  ) => Promise<readonly Searched[]>;
}

/** The stage of a search: every candidate of every size is a row. */
export const searchStage = (stack: RewardStack<'total'>, { id, by, sizes, search }: SearchPlan) =>
  stage({
    id,
    station: 'sampler',
    needs: ['problem', 'prompt'],
    adds: searchColumns,
    run: async ({ problem, prompt }, context) => {
      const prompts = problem.map((_, p) => rowOf(prompt, p));
      const texts = problem.map((each) => each.prompt);
      const grow = growerOf({ problem, prompts }, stack, context, by);
      return searchRows(sizes, prompts, (size) => search(texts, size, grow, context.text));
    },
  });
