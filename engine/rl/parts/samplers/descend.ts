/** Hierarchical search: edits of an answer from its first line down, kept where a judge prefers them. */
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { lineBreak, searchStage, type Candidate, type Grow, type Searched } from './candidates.ts';

export interface DescendPlan {
  /** Edits in all; levels, from the general to the details. */
  readonly edits: number;
  readonly levels: number;
  /** Edits in a row that the judge rejects before a level counts as settled. */
  readonly patience: number;
}

/** Which tokens end a line, and the most tokens of an answer. */
export interface LineRules {
  readonly isBreak: (token: number) => boolean;
  readonly most: number;
}

/** The first `lines` lines of an answer, line breaks included; null for none, or if they leave no room. */
const upper = (
  { tokens, logp }: Pick<Candidate, 'tokens' | 'logp'>,
  lines: number,
  { isBreak, most }: LineRules,
): Pick<Candidate, 'tokens' | 'logp'> | null => {
  if (lines === 0) return null;
  const breaks = tokens.flatMap((token, at) => (isBreak(token) ? [at] : []));
  const end = breaks.length >= lines ? breaks[lines - 1] + 1 : 0;
  return end === 0 || end >= most ? null : { tokens: tokens.slice(0, end), logp: logp.slice(0, end) };
};

/**
 * Hierarchical greedy search (MOOSE-Chem2, arXiv:2505.19209) on several problems at once. Level 0 is the whole
 * answer, level l what follows its first l lines. An edit rewrites the answer from its level on, and stays if the
 * judge prefers the edited answer: if its value is higher. After `patience` rejections in a row the level has
 * reached a local optimum, and the search descends; an answer with fewer lines has no lower level. It ends with
 * the answer that it has when the edits are spent or no level is left.
 */
export const descent = async (
  problems: number,
  { edits, levels, patience }: DescendPlan,
  grow: Grow,
  rules: LineRules,
): Promise<readonly Searched[]> => {
  const first = await grow(
    Array.from({ length: problems }, (_, problem) => ({ problem, parent: -1, candidate: null })),
  );
  const searches = first.map((candidate) => ({
    tried: [candidate],
    pick: 0,
    level: 0,
    rejected: 0,
    over: false,
  }));
  for (let edit = 0; edit < edits; edit++) {
    const from = searches.flatMap((search, problem) => {
      if (search.over) return [];
      const { tried, pick, level } = search;
      return [{ problem, parent: pick, candidate: upper(tried[pick], level, rules) }];
    });
    if (from.length === 0) break;
    (await grow(from)).forEach((candidate, at) => {
      const search = searches[from[at].problem];
      const place = search.tried.push(candidate) - 1;
      const isBetter = candidate.value > search.tried[search.pick].value;
      if (isBetter) search.pick = place;
      search.rejected = isBetter ? 0 : search.rejected + 1;
      if (search.rejected < patience) return;
      search.rejected = 0;
      search.level++;
      search.over = search.level >= levels || !upper(search.tried[search.pick], search.level, rules);
    });
  }
  return searches.map(({ tried, pick }) => ({ tried, pick }));
};

/** Descents of rising length, 4, 8, … edits up to `groupSize`; see `descent`. */
export const descended = (
  stack: RewardStack<'total'>,
  { groupSize, ...plan }: { readonly groupSize: number } & Omit<DescendPlan, 'edits'>,
) =>
  searchStage(stack, {
    id: `descended(${groupSize}, ${plan.levels}, ${plan.patience})`,
    by: 'answer',
    sizes: sizesUpTo(groupSize),
    search: ({ length }, edits, grow, text) => {
      const end = lineBreak(text);
      const rules = { isBreak: (token: number) => token === end, most: text.maxTokens };
      return descent(length, { ...plan, edits }, grow, rules);
    },
  });

/** 4, 8, 16, … up to `most`; `most` alone if it is less than 4. */
const sizesUpTo = (most: number): number[] => {
  const sizes = Array.from({ length: 10 }, (_, at) => 4 * 2 ** at).filter((size) => size <= most);
  return sizes.length > 0 ? sizes : [most];
};
