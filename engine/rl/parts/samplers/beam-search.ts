/** Beam search over worked lines: candidates grow by a line, and the best-valued ones are kept. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { Problem } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage, type StageContext, type TextPort } from '../../kernel/stage.ts';
import { best, type Candidate, type Grow, type Growing, type Searched } from '../math/candidates.ts';
import { treeSearch } from '../math/tree-search.ts';

export interface BeamPlan {
  /** Candidates of each round. */
  readonly size: number;
  /** Candidates that continue each kept one: size ∕ expand are kept. */
  readonly expand: number;
  /** Most lines. */
  readonly rounds: number;
}

/**
 * Beam search on several problems at once. A round expands each kept candidate that is not done; those that are
 * done compete with the new ones. It ends when all kept ones are done. Equal values: the earlier candidate.
 */
export const beamSearch = async (
  problems: number,
  { size, expand, rounds }: BeamPlan,
  grow: Grow,
): Promise<readonly Searched[]> => {
  const searches = Array.from({ length: problems }, () => ({
    tried: [] as Candidate[],
    kept: [] as number[],
  }));
  for (let round = 0; round < rounds; round++) {
    const from = searches.flatMap(({ tried, kept }, problem): Growing[] =>
      round === 0
        ? Array.from({ length: size }, () => ({ problem, parent: -1, candidate: null }))
        : kept
            .filter((place) => !tried[place].isDone)
            .flatMap((parent) =>
              Array.from({ length: expand }, () => ({ problem, parent, candidate: tried[parent] })),
            ),
    );
    if (from.length === 0) break;
    const grown = await grow(from);
    const fresh = searches.map(() => [] as number[]);
    grown.forEach((candidate, at) => {
      const { problem } = from[at];
      fresh[problem].push(searches[problem].tried.push(candidate) - 1);
    });
    searches.forEach((search, problem) => {
      const done = search.kept.filter((place) => search.tried[place].isDone);
      search.kept = best(search.tried, [...done, ...fresh[problem]], Math.max(1, Math.floor(size / expand)));
    });
  }
  return searches.map(({ tried, kept }) => {
    const ended = kept.filter((place) => tried[place].ended);
    return { tried, pick: best(tried, ended.length > 0 ? ended : kept, 1)[0] };
  });
};

/** Sizes of the searches of a run: `expand`, and its doubles up to `most`. */
export const beamSizes = (most: number, expand: number): number[] => {
  const sizes: number[] = [];
  for (let size = expand; size <= most; size *= 2) sizes.push(size);
  return sizes.length > 0 ? sizes : [most];
};

interface Asked {
  readonly problem: readonly Problem[];
  readonly prompts: readonly Int32Array[];
}

/** The token of a line break. Throws `unsupported` for a tokenizer without one. */
const lineBreak = (text: TextPort): number => {
  const [token, ...more] = text.encode('\n');
  if (token !== undefined && more.length === 0) return token;
  throw new WhetstoneError('unsupported', 'The tokenizer has no token for a line break.', {
    where: 'models.policy',
    hint: 'Choose a model whose tokenizer has one, or search with whole answers.',
  });
};

/** Samples lines, and values partial answers by a stack; each sample of a prompt has its own number. */
const growerOf = ({ problem, prompts }: Asked, stack: RewardStack<'total'>, context: StageContext): Grow => {
  const { text, sample } = context;
  const end = lineBreak(text);
  const given = new Map<string, number>();
  const numberOf = ({ promptId }: Problem): number => {
    const number = given.get(promptId) ?? 0;
    given.set(promptId, number + 1);
    return number;
  };
  return async (from) => {
    const starts = from.map(({ problem: p, candidate }) =>
      Int32Array.of(...prompts[p], ...(candidate?.tokens ?? [])),
    );
    const asked = from.map(({ problem: p }) => problem[p]);
    const numbers = Float64Array.from(asked, numberOf);
    const answers = await sample(ragged(starts, Int32Array), asked, numbers, {
      ends: [text.end, end],
      limits: from.map(({ candidate }) => text.maxTokens - (candidate?.tokens.length ?? 0)),
    });
    const grown = from.map(({ problem: p, parent, candidate }, r) => {
      const tokens = [...rowOf(answers.tokens, r).subarray(prompts[p].length)];
      const isLine = tokens.at(-1) === end && answers.ended[r] === 1;
      return {
        parent,
        tokens,
        logp: [...(candidate?.logp ?? []), ...rowOf(answers.behaviorLogp, r).subarray(starts[r].length)],
        fresh: tokens.length - (candidate?.tokens.length ?? 0),
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
  'row/size': Float64Array.from(rows, ({ size }) => size),
  'row/pick': Float64Array.from(rows, ({ pick }) => pick),
});

interface BeamsPlan {
  /** Of the largest search: candidates of a round, or expansions of a tree. */
  readonly groupSize: number;
  readonly expand: number;
  readonly rounds: number;
  readonly strategy: 'beam' | 'tree';
  readonly explore: number;
}

/**
 * Beam search of rising size, each of its own candidates (Snell et al. 2024, arXiv:2408.03314, section 5.2):
 * every candidate is a row, partial answers included; `row/tokens` are those of its last line alone. Or tree
 * searches (`treeSearch`) of rising size, each of that many expansions.
 */
export const beams = (
  stack: RewardStack<'total'>,
  { groupSize, expand, rounds, strategy, explore }: BeamsPlan,
) =>
  stage({
    id: `beams(${strategy}, ${groupSize}, ${expand})`,
    station: 'sampler',
    needs: ['problem', 'prompt'],
    adds: [
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
      'row/size',
      'row/pick',
    ],
    run: async ({ problem, prompt }, context) => {
      const prompts = problem.map((_, p) => rowOf(prompt, p));
      const grow = growerOf({ problem, prompts }, stack, context);
      const rows: Row[] = [];
      for (const size of beamSizes(groupSize, expand)) {
        const searched =
          strategy === 'tree'
            ? await treeSearch(problem.length, { expansions: size, expand, lines: rounds, explore }, grow)
            : await beamSearch(problem.length, { size, expand, rounds }, grow);
        searched.forEach(({ tried, pick }, p) =>
          tried.forEach((candidate, at) => {
            rows.push({ problem: p, size, pick: Number(at === pick), candidate });
          }),
        );
      }
      const scorers = Object.keys(rows[0]?.candidate.scores ?? {});
      return {
        from_R: Uint32Array.from(rows, (row) => row.problem),
        columns: columnsOf(rows, prompts),
        raw: Object.fromEntries(
          scorers.map((scorer) => [
            scorer,
            Float64Array.from(rows, ({ candidate }) => candidate.scores[scorer]),
          ]),
        ),
      };
    },
  });
