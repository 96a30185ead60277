import { davidsonFit, duelPlan, normalQuantile, problemsNeeded, wilson } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Interval } from '../../engine/schema/evaluation.ts';
import type { HeadToHead } from '../../preload/contract/head-to-head.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import type { Sample } from '../../preload/contract/runs.ts';
import type { Services } from '../services/services.ts';
import { StagedAnswers, type AnswerRow } from './answers/staged.ts';

type Store = Pick<Services, 'store'>['store'];
interface HeadToHeadChoice {
  readonly runIds: readonly string[];
  readonly name: string;
  readonly pairs: number;
  readonly seed: number;
}

/** Begins the source of a dataset of compared answers; the ids of the runs follow. */
const SOURCE = 'head-to-head of runs ';
/** Most shared problems from which comparisons are chosen. */
const MOST_PROBLEMS = 5000;
/** Answers to one problem that are read. */
const MOST_ANSWERS = 256;

/** One of the answers to a problem in a run's newest evaluation; `draw`: uniform in (0, 1). */
async function drawnAnswer(store: Store, runId: string, promptId: string, draw: number): Promise<Sample> {
  const { samples } = await store.samples.query({
    runIds: [runId],
    purpose: 'evaluation',
    promptId,
    step: null,
    order: 'newest',
    offset: 0,
    limit: MOST_ANSWERS,
  });
  const [{ step, attempt }] = samples;
  const own = samples
    .filter((each) => each.step === step && each.attempt === attempt)
    .sort((a, b) => a.sample - b.sample);
  return own[Math.floor(draw * own.length)];
}

const rowOf = (sample: Sample, runName: string, extra: Readonly<Record<string, unknown>>): AnswerRow => ({
  promptId: sample.promptId,
  prompt: sample.prompt,
  answer: sample.completion,
  reference: null,
  correct: null,
  source: runName,
  extra: { run: sample.runId, step: sample.step, sample: sample.sample, ...extra },
});

/**
 * Makes a label set that compares answers of runs blindly, with the dataset of these answers. Throws
 * `invalid-input` if the runs share no evaluated problem, or give the same answer everywhere.
 */
export async function createHeadToHead(
  { store }: { readonly store: Store },
  { runIds, name, pairs: most, seed }: HeadToHeadChoice,
): Promise<LabelSet> {
  if (new Set(runIds).size < runIds.length)
    throw new WhetstoneError('invalid-input', 'A run cannot be compared with itself.', { where: 'runIds' });
  const runs = await Promise.all(runIds.map((id) => store.runs.get(id)));
  const prompts = await store.samples.commonPrompts(runIds, MOST_PROBLEMS);
  if (prompts.length === 0)
    throw new WhetstoneError('invalid-input', 'The runs share no problem that was evaluated.', {
      where: 'runIds',
      hint: 'Choose runs that were evaluated on the same world or dataset.',
    });
  const plan = duelPlan(runIds.length, prompts.length, most, seed);
  const title = name || `Head-to-head: ${runs.map((run) => run.name || run.method).join(', ')}`;
  const staged = await StagedAnswers.open(store, {
    name: title,
    source: SOURCE + runIds.join(' '),
    why: `Answers of ${runs.length} runs to problems that they share, in pairs to be compared.`,
  });
  try {
    const pairs: [number, number][] = [];
    const rows: AnswerRow[] = [];
    for (const { problem, a, b, drawA, drawB } of plan) {
      const { promptId } = prompts[problem];
      const left = await drawnAnswer(store, runIds[a], promptId, drawA);
      const right = await drawnAnswer(store, runIds[b], promptId, drawB);
      const isEqual = left.completion === right.completion;
      if (!isEqual) pairs.push([rows.length, rows.length + 1]);
      rows.push(rowOf(left, runs[a].name, isEqual ? { equals: runIds[b] } : {}));
      if (!isEqual) rows.push(rowOf(right, runs[b].name, {}));
    }
    if (pairs.length === 0)
      throw new WhetstoneError('invalid-input', 'The runs gave the same answer in every comparison.', {
        where: 'runIds',
        hint: 'There is nothing to decide. Choose other runs, or more pairs.',
      });
    await staged.append(rows);
    const dataset = await staged.finish();
    const set = await store.labelSets.create({
      name: title,
      from: { kind: 'dataset', datasetId: dataset.id },
      pairsPerPrompt: 1,
      onlyDiffering: false,
      seed,
      pairs,
    });
    return set;
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** Label sets that compare at least two of these runs, newest first. */
export async function headToHeadSets(
  { store }: { readonly store: Store },
  runIds: readonly string[],
): Promise<LabelSet[]> {
  const sets = await store.headToHead.setsOf(SOURCE);
  const own = sets.filter(
    ({ source }) =>
      source
        .slice(SOURCE.length)
        .split(' ')
        .filter((id) => runIds.includes(id)).length > 1,
  );
  return Promise.all(own.map(({ id }) => store.labelSets.get(id)));
}

/** Counts of one pair of runs. */
interface Tally {
  aWins: number;
  bWins: number;
  ties: number;
}

/** Result of a head-to-head so far. Throws `not-found`, and `invalid-input` for any other label set. */
export async function headToHeadTable(
  { store }: { readonly store: Store },
  setId: string,
): Promise<HeadToHead> {
  const set = await store.labelSets.get(setId);
  const counts = await store.headToHead.counts(setId);
  if (counts.length === 0)
    throw new WhetstoneError('invalid-input', `'${set.name}' does not compare runs.`, {
      where: setId,
      hint: 'Make a head-to-head of two or more runs.',
    });
  const equal = await store.headToHead.equal(setId);
  const ids = [...new Set([...counts, ...equal].flatMap(({ a, b }) => [a, b]))];
  const runs = await Promise.all(ids.map(async (id) => ({ id, name: await nameOf(store, id) })));
  const tallies = new Map<string, Tally>();
  const tally = (a: string, b: string): [Tally, isTurned: boolean] => {
    const isTurned = ids.indexOf(a) > ids.indexOf(b);
    const key = isTurned ? `${b} ${a}` : `${a} ${b}`;
    const own = tallies.get(key) ?? { aWins: 0, bWins: 0, ties: 0 };
    tallies.set(key, own);
    return [own, isTurned];
  };
  for (const { a, b, verdict, n } of counts) {
    const [own, isTurned] = tally(a, b);
    if (verdict === 'tie' || verdict === 'both-bad') own.ties += n;
    else if (verdict === 'a') own[isTurned ? 'bWins' : 'aWins'] += n;
    else if (verdict === 'b') own[isTurned ? 'aWins' : 'bWins'] += n;
  }
  for (const { a, b, n } of equal) tally(a, b)[0].ties += n;
  const duels = [...tallies].map(([key, own]) => duelOf(key, own));
  const decided = counts.reduce((sum, { verdict, n }) => sum + (isDecided(verdict) ? n : 0), 0);
  return {
    runs,
    pairs: set.pairs,
    decided,
    equal: equal.reduce((sum, { n }) => sum + n, 0),
    duels,
    ...abilitiesOf(ids, duels),
    more: moreOf(duels),
  };
}

const isDecided = (verdict: string | null): boolean =>
  verdict === 'a' || verdict === 'b' || verdict === 'tie' || verdict === 'both-bad';

async function nameOf(store: Store, id: string): Promise<string> {
  try {
    const { name, method } = await store.runs.get(id);
    return name || method;
  } catch (error) {
    if (WhetstoneError.from(error).kind !== 'not-found') throw error;
    return 'a deleted run';
  }
}

type Duel = HeadToHead['duels'][number];
const gamesOf = ({ aWins, bWins, ties }: Tally): number => aWins + bWins + ties;

function duelOf(key: string, own: Tally): Duel {
  const [a, b] = key.split(' ');
  const won = own.aWins + own.ties / 2;
  const games = gamesOf(own);
  return { a, b, ...own, rate: games === 0 ? 0.5 : won / games, interval: wilson(won, games) };
}

/** Half the width of a 95 % interval, in standard errors. */
const Z95 = normalQuantile(0.975);

function abilitiesOf(
  ids: readonly string[],
  duels: readonly Duel[],
): Pick<HeadToHead, 'abilities' | 'reason'> {
  const table = (cell: (duel: Duel, isTurned: boolean) => number) =>
    ids.map((i) =>
      ids.map((j) => {
        const duel = duels.find(({ a, b }) => (a === i && b === j) || (a === j && b === i));
        return duel ? cell(duel, duel.a === j) : 0;
      }),
    );
  try {
    const fit = davidsonFit(
      table(({ aWins, bWins }, isTurned) => (isTurned ? bWins : aWins)),
      table(({ ties }) => ties),
    );
    const abilities = ids.map((runId, at) => {
      const half = Z95 * Math.sqrt(fit.covariance[at][at]);
      const ability = fit.abilities[at];
      const interval: Interval = [ability - half, ability + half];
      return { runId, ability, interval };
    });
    return { abilities: abilities.sort((x, y) => y.ability - x.ability), reason: null };
  } catch (error) {
    const { kind, message } = WhetstoneError.from(error);
    if (kind !== 'invalid-input') throw error;
    return { abilities: null, reason: message };
  }
}

/** Decisions still needed to tell the closest pair of runs apart, if their rates stay as they are. */
function moreOf(duels: readonly Duel[]): number | null {
  const played = duels.filter((duel) => gamesOf(duel) > 0);
  const needs = played.map((duel) => {
    const games = gamesOf(duel);
    const [low, high] = duel.interval;
    if (low > 0.5 || high < 0.5) return 0;
    // of a score of 1, ½ or 0 if the runs are equal: wins of few comparisons vary too little
    const variance = (1 - duel.ties / games) / 4;
    const gap = Math.abs(duel.rate - 0.5);
    if (gap === 0) return null;
    return Math.max(1, problemsNeeded(Math.sqrt(variance), gap) - games);
  });
  if (needs.length === 0 || needs.includes(null)) return null;
  return Math.max(...needs.map(Number));
}
