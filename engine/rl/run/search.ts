/** A run that searches: its scorers with the one that verifies, and the curve of the answers it has tried. */
import { WhetstoneError } from '../../common/errors.ts';
import { rewards as known } from '../../rewards/index.ts';
import { namedRewards, type NamedReward, type PlacedReward } from '../../rewards/stack.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { SearchCurve } from '../../schema/search.ts';
import type { Columns, PerRow } from '../kernel/columns.ts';
import type { SearchSettings } from '../kernel/method.ts';
import type { triedColumns } from '../kernel/recipe.ts';
import { tableRows } from '../kernel/rows.ts';
import { searchCurve } from '../search/curve.ts';
import { guidedCurve } from '../search/guided-curve.ts';
import { readAnswer } from '../search/read-answer.ts';
import { roundsCurve, type RoundsOf } from '../search/rounds-curve.ts';
import { textNumbers, type TriedProblem } from '../search/tried.ts';
import { comparesWithReferences } from '../tasks/references.ts';
import type { TaskData } from '../tasks/task-data.ts';
import type { Session } from './session.ts';

type Lists = Pick<RunSpec, 'rewards' | 'evaluation'>;

/** 1 for right, 0 for wrong; a world rewards some wrong answers too. */
const worldVerdict = { id: 'verifier', weight: 0, params: { value: 'correct' } } as const;
/** A reward with its parameters as text, as `namedRewards` tells rewards apart. */
const keyOf = ({ id, params }: Pick<PlacedReward, 'id' | 'params'>): string =>
  `${id} ${JSON.stringify(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

const rewardOf = (id: string) => known.find((reward) => reward.id === id);
/** True if a reward knows the right answer, so that no rule may choose by it. */
const knowsAnswer = ({ id }: Pick<PlacedReward, 'id'>): boolean =>
  ['world', 'reference'].some((need) => rewardOf(id)?.needs.some((other) => other === need));

/**
 * Throws `invalid-input` for a composer, by which a rule could choose with the right answer or the whole
 * group; and for what a guided search, which writes line by line, would begin anew on each line: turns of a
 * world, a grammar.
 */
const refuseUnfit = (
  { composer, sampling }: Pick<RunSpec, 'composer' | 'sampling'>,
  kind: SearchSettings['kind'],
  world: TaskData['evaluationWorld'],
): void => {
  if (composer)
    throw new WhetstoneError('invalid-input', 'A search chooses by scorers, or by their weighted sum.', {
      where: 'composer',
      hint: 'Remove the composer; a rule can use each scorer by itself.',
    });
  if (kind === 'guide' && world?.turns)
    throw new WhetstoneError(
      'invalid-input',
      `World '${world.id}' replies to lines, which a beam search writes.`,
      {
        where: 'task.id',
        hint: 'Search on a world without turns, or sample whole answers (search).',
      },
    );
  if (kind === 'guide' && sampling.grammar && sampling.grammar.kind !== 'none')
    throw new WhetstoneError('invalid-input', 'A grammar would begin anew on each line of a beam search.', {
      where: 'sampling.grammar',
      hint: 'Sample whole answers (search), or leave the grammar out.',
    });
};

/**
 * The reward lists of a search, with the verdict on each answer. Throws `invalid-input` if nothing can verify
 * answers, if fewer held-out problems are there than are searched, or for a reward that compares the answers
 * of a group: what it would score depends on more answers than a rule sees.
 */
export const searchedLists = (
  spec: Pick<RunSpec, 'rewards' | 'evaluation' | 'budget' | 'composer' | 'sampling'>,
  { kind, ...settings }: SearchSettings,
  { evaluationWorld, heldout: { problems }, name }: TaskData,
): Lists => {
  refuseUnfit(spec, kind, evaluationWorld);
  const compares = spec.rewards.findIndex(({ id }) => rewardOf(id)?.compares);
  if (compares >= 0)
    throw new WhetstoneError(
      'invalid-input',
      `'${spec.rewards[compares].id}' compares the answers of a group, and a rule sees only some of them.`,
      { where: `rewards.${compares}.id`, hint: 'Choose a reward that scores answers one by one.' },
    );
  const guides = spec.rewards.filter(({ weight }) => weight !== 0);
  const guided = kind === 'guide' || ('selector' in settings && settings.selector === 'rewards');
  if (guided && (guides.length === 0 || guides.some(knowsAnswer)))
    throw new WhetstoneError(
      'invalid-input',
      guides.length === 0
        ? 'No reward guides the search.'
        : 'The rewards that guide the search know the right answer.',
      { where: 'rewards', hint: 'Give it a reward of its own, such as a process verifier.' },
    );
  const verdict = evaluationWorld
    ? worldVerdict
    : [...spec.rewards, ...spec.evaluation.rewards].find(comparesWithReferences);
  if (!verdict)
    throw new WhetstoneError('invalid-input', `Nothing can tell which answers to ${name} are right.`, {
      where: 'rewards',
      hint: 'Add a reward that compares answers with references, or search on a world.',
    });
  const { steps, batch } = spec.budget;
  if (steps > 0 && problems.length <= (steps - 1) * batch)
    throw new WhetstoneError(
      'invalid-input',
      `${name} has ${problems.length} held-out problems for ${steps} steps of ${batch}.`,
      {
        where: 'budget.steps',
        hint: `Search with at most ${Math.ceil(problems.length / batch)} steps of ${batch}.`,
      },
    );
  return { ...spec, rewards: [...spec.rewards, { ...verdict, weight: 0 }] };
};

type Kind = SearchSettings['kind'];
type Tried<K extends Kind> = Pick<Columns, (typeof triedColumns)[K][number] | 'reward/total'> & {
  readonly [score: `reward/${string}`]: PerRow;
};

/** The scorers that rules choose by: those of the run that do not know the answer, and their total. */
const scorersOf = (named: readonly NamedReward[]): readonly string[] => {
  const weighted = named.filter(({ weight }) => weight !== 0);
  const hasTotal = weighted.length > 1 && !weighted.some(knowsAnswer);
  return [
    ...named.filter((each) => !knowsAnswer(each)).map(({ name }) => name),
    ...(hasTotal ? ['total'] : []),
  ];
};

type Measured = Pick<Session, 'task' | 'roles' | 'rewards' | 'clock'>;

/** The curve of the answers tried so far; null before the first. */
export const searchResult = async (session: Measured): Promise<SearchCurve | null> => {
  const { task, roles, rewards } = session;
  const { search } = task;
  const table = roles.buffers.table('tried');
  if (!search || tableRows(table) === 0) return null;
  const named = namedRewards(rewards.own);
  // `searchedLists` puts the verdict last
  const last = rewards.own.at(-1);
  const verdict = last && named.find((each) => keyOf(each) === keyOf(last));
  if (!verdict) throw new WhetstoneError('internal', 'The search has no verdict.');
  if (search.kind === 'guide') {
    const { line } = search;
    return guidedResult(session, table as unknown as Tried<'guide'>, { verdict: verdict.name, line });
  }
  if (search.kind === 'rounds')
    return roundsResult(
      session,
      table as unknown as Tried<'rounds'>,
      named.map(({ name }) => name),
      verdict.name,
    );
  const { reading, rankPower } = search;
  const rows = table as unknown as Tried<'choose'>;
  const scorers = scorersOf(named);
  const uniform = Math.log(roles.main.model.config.vocabulary);
  const groups = Map.groupBy(rows['row/problem'].keys(), (r) => rows['row/problem'][r]);
  const problems = [...groups.values()].map((places): TriedProblem => {
    const of = (column: PerRow): number[] => places.map((r) => column[r]);
    const texts = places.map((r) => rows.completion[r]);
    const [tokens, logp] = [of(rows['row/tokens']), of(rows['row/logp'])];
    return {
      promptId: rows.problem[places[0]].promptId,
      answers: texts.map((text) => readAnswer(text, reading)),
      correct: of(rows[`reward/${verdict.name}`]).map((score) => Number(score === 1)),
      texts: textNumbers(texts),
      tokens,
      logp,
      scores: {
        'self-certainty': of(rows['row/cross-entropy']).map((value) => value - uniform),
        likelihood: logp.map((sum, at) => Math.exp(sum / Math.max(1, tokens[at]))),
        ...('reward/self-verdict' in rows && { 'self-verdict': of(rows['reward/self-verdict']) }),
        ...Object.fromEntries(scorers.map((scorer) => [scorer, of(rows[`reward/${scorer}`])])),
      },
    };
  });
  return searchCurve(problems, { step: session.clock.step, seed: task.spec.seed, rankPower });
};

/** The curve of rounds: by the verdict, and by each scorer whose numbers are from 0 to 1. */
const roundsResult = (
  { task, clock }: Pick<Session, 'task' | 'clock'>,
  rows: Tried<'rounds'>,
  names: readonly string[],
  verdict: string,
): SearchCurve => {
  const shares = names.filter(
    (name) => name !== verdict && rows[`reward/${name}`].every((score) => score >= 0 && score <= 1),
  );
  const groups = Map.groupBy(rows['row/problem'].keys(), (r) => rows['row/problem'][r]);
  const problems = [...groups.values()].map((places): RoundsOf => {
    const of = (column: PerRow): number[] => places.map((r) => column[r]);
    return {
      promptId: rows.problem[places[0]].promptId,
      round: of(rows['row/round']),
      tokens: of(rows['row/tokens']),
      scores: {
        verdict: of(rows[`reward/${verdict}`]).map((score) => Number(score === 1)),
        ...Object.fromEntries(shares.map((name) => [name, of(rows[`reward/${name}`])])),
      },
    };
  });
  return roundsCurve(problems, { step: clock.step, seed: task.spec.seed });
};

/** The curve of searches whose candidates are rows, and whose picks are marked. */
const guidedResult = (
  { task, clock }: Pick<Session, 'task' | 'clock'>,
  rows: Tried<'guide'>,
  { verdict, line }: { readonly verdict: string } & Pick<Extract<SearchSettings, { kind: 'guide' }>, 'line'>,
): SearchCurve => {
  const groups = Map.groupBy(
    rows['row/problem'].keys(),
    (r) => `${rows['row/problem'][r]} ${rows['row/size'][r]}`,
  );
  const searches = [...groups.values()].map((places) => {
    const pick = places.find((r) => rows['row/pick'][r] === 1);
    return {
      promptId: rows.problem[places[0]].promptId,
      size: rows['row/size'][places[0]],
      tokens: places.reduce((sum, r) => sum + rows['row/tokens'][r], 0),
      correct: Number(pick !== undefined && rows[`reward/${verdict}`][pick] === 1),
    };
  });
  return guidedCurve(searches, { step: clock.step, seed: task.spec.seed, ...(line && { line }) });
};
