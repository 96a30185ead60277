import { probeEffect, probes, type Probe } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ProbeReport, ProbeResult } from '../../preload/contract/probes.ts';
import { judgeInput, judgePlace } from '../services/judge-place.ts';
import type { Services } from '../services/services.ts';
import { patient, type Scored as Item } from './patient-score.ts';

/** Answers scored by one call. */
const AT_ONCE = 64;

/**
 * The preferred answers of the held-out pairs of a run's inspection, at most `most`, evenly chosen. Throws
 * `not-found` where no pairs are stored.
 */
async function answersOf({ store }: Pick<Services, 'store'>, runId: string, most: number): Promise<Item[]> {
  const stored = await store.inspections.of(runId);
  if (!stored)
    throw new WhetstoneError('not-found', 'The held-out pairs of this reward model are not stored.', {
      where: runId,
      hint: 'Inspect it again: its page offers it, and so does "rewards inspect".',
    });
  const n = Math.min(most, stored.pairs);
  const positions = Array.from({ length: n }, (_none, i) => Math.floor((i * stored.pairs) / n));
  const texts = await store.inspections.texts(runId, positions);
  const distinct = new Map(
    texts.map(({ prompt, chosen }) => [JSON.stringify([prompt, chosen]), { prompt, completion: chosen }]),
  );
  return [...distinct.values()];
}

/**
 * Effects of every probe on the newest judge of a run. Throws `not-found` without pairs or a checkpoint,
 * `cancelled`, and `numeric` for a judge that gives all answers the same score.
 */
export async function probeJudge(
  services: Services,
  { runId, most }: { readonly runId: string; readonly most: number },
  signal: AbortSignal,
  push: (progress: { done: number; total: number; report: ProbeReport | null }) => void,
): Promise<ProbeReport> {
  const answers = await answersOf(services, runId, most);
  const place = await judgePlace(services, { kind: 'run', id: runId });
  const score = patient((items: readonly Item[]) =>
    services.engine.call('score', { ...judgeInput(place), items: [...items] }),
  );
  const edited = probes.map((probe) => editsOf(probe, answers));
  const total = answers.length + edited.reduce((sum, { length }) => sum + length, 0);
  let done = 0;
  const scoreAll = async (items: readonly Item[]): Promise<(number | null)[]> => {
    const scores: (number | null)[] = [];
    for (let from = 0; from < items.length; from += AT_ONCE) {
      if (signal.aborted)
        throw new WhetstoneError('cancelled', 'The probes were cancelled; nothing was changed.');
      const some = items.slice(from, from + AT_ONCE);
      scores.push(...(await score(some)));
      push({ done: (done += some.length), total, report: null });
    }
    return scores;
  };
  const before = await scoreAll(answers);
  const results: ProbeResult[] = [];
  for (const [at, probe] of probes.entries()) {
    const after = await scoreAll(edited[at]);
    results.push(resultOf(probe, answers, { before, edits: edited[at], after }));
  }
  const report = { answers: answers.length, probes: results };
  // of the files that were probed, for runs that demand what they pass
  await services.store.judgeReports.add(
    { kind: 'probes', hash: place.hash, runId, at: Date.now() },
    report,
    null,
  );
  return report;
}

/** The newest stored report on a run's newest judge; null if its files have none. */
export async function storedProbes(
  services: Services,
  runId: string,
): Promise<{ at: number; report: ProbeReport } | null> {
  const { hash } = await judgePlace(services, { kind: 'run', id: runId });
  const stored = await services.store.judgeReports.newest('probes', hash);
  return stored && { at: stored.at, report: stored.summary as ProbeReport };
}

interface Edit extends Item {
  /** Index of the answer that was edited. */
  readonly of: number;
}

/** The next answer, in a circle, to another prompt; null if there is none. */
function answerToAnother(answers: readonly Item[], at: number): string | null {
  for (let step = 1; step < answers.length; step += 1) {
    const next = answers[(at + step) % answers.length];
    if (next.prompt !== answers[at].prompt) return next.completion;
  }
  return null;
}

const editsOf = (probe: Probe, answers: readonly Item[]): Edit[] =>
  answers.flatMap((answer, of) => {
    const completion = probe.edit({ ...answer, other: answerToAnother(answers, of) });
    return completion === null ? [] : [{ prompt: answer.prompt, completion, of }];
  });

interface Scored {
  /** Scores of all answers, and of the edits in their order. */
  readonly before: readonly (number | null)[];
  readonly edits: readonly Edit[];
  readonly after: readonly (number | null)[];
}

function resultOf(probe: Probe, answers: readonly Item[], { before, edits, after }: Scored): ProbeResult {
  const { id, title, summary, expects } = probe;
  const pairs = edits.flatMap(({ of }, at) => {
    const [first, last] = [before[of], after[at]];
    return first === null || last === null ? [] : [{ first, last, prompt: answers[of].prompt }];
  });
  const readable = edits.filter(({ of }) => before[of] !== null).length;
  const about = { id, title, summary, expects, n: pairs.length, unread: readable - pairs.length };
  if (pairs.length < 2) return { ...about, effect: null };
  const { effect, interval, fell, verdict } = probeEffect(
    expects,
    {
      before: pairs.map(({ first }) => first),
      after: pairs.map(({ last }) => last),
      prompts: pairs.map(({ prompt }) => prompt),
    },
    before.filter((score) => score !== null),
  );
  return { ...about, effect: { mean: effect, interval, fell, verdict } };
}
