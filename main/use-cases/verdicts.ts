import { firstErrorShares } from '../../engine/index.ts';
import {
  judgedReply,
  verdictWriter,
  type JudgedReply,
  type VerdictWriter,
} from '../../engine/judged-verdicts.ts';
import type { Confusion, TranscriptKind, Turn, VerdictStage } from '../../preload/contract/verdicts.ts';
import type { Services } from '../services/services.ts';
import type { RoleStep } from '../store/verdicts.ts';

type Store = Pick<Services, 'store'>['store'];

/** Parts of the training that are compared, and replies that are read of each. */
const STAGES = 6;
const MOST_READ = 512;

/** The verifier of a run, if it writes verdicts. A stored configuration that cannot be read has none. */
async function writerOf(store: Store, runId: string): Promise<VerdictWriter | null> {
  const { spec } = await store.runs.get(runId);
  return spec && verdictWriter(spec);
}

/** The roles of a run in the order in which they trained, and what its verifier wrote, by stage. */
export async function verdictsOfRun(store: Store, runId: string) {
  const writer = await writerOf(store, runId);
  if (!writer) return null;
  const steps = await store.verdicts.turns(runId);
  const own = steps.filter(({ role }) => role === writer.role);
  const stages: VerdictStage[] = [];
  for (const part of partsOf(own, STAGES)) {
    const [from, to] = [part[0].step, part[part.length - 1].step];
    const replies = await judgedBetween(store, { runId, writer, from, to });
    stages.push({ from, to, stored: sumOf(part), ...stageFacts(replies) });
  }
  const { right, wrong } = writer.words;
  return { role: writer.role, right, wrong, turns: turnsOf(steps, writer.role), stages };
}

/** Judged answers of a kind, oldest first. None of a run without a verifier that writes. */
export async function judgedTranscripts(store: Store, { runId, from, to, kind, limit }: TranscriptQuestion) {
  const writer = await writerOf(store, runId);
  if (!writer) return { total: 0, transcripts: [] };
  const judged = await judgedBetween(store, { runId, writer, from, to });
  const wanted = judged.filter((reply) => kind === 'all' || kindOf(reply) === kind);
  const shown = wanted.slice(0, limit).map((reply) => ({ ...reply, lines: [...reply.lines] }));
  return { total: wanted.length, transcripts: shown };
}
interface TranscriptQuestion {
  readonly runId: string;
  readonly from: number;
  readonly to: number;
  readonly kind: TranscriptKind;
  readonly limit: number;
}

type Judged = JudgedReply & { readonly id: string; readonly step: number };

async function judgedBetween(
  store: Store,
  {
    writer,
    ...steps
  }: { readonly writer: VerdictWriter } & Pick<TranscriptQuestion, 'runId' | 'from' | 'to'>,
): Promise<Judged[]> {
  const stored = await store.verdicts.replies({ ...steps, role: writer.role, limit: MOST_READ });
  return stored.flatMap(({ id, step, ...reply }) => {
    const judged = judgedReply(reply, writer);
    return judged ? [{ id, step, ...judged }] : [];
  });
}

/** Up to `most` parts of equal size, in order. */
const partsOf = <T>(all: readonly T[], most: number): T[][] => {
  const count = Math.min(most, all.length);
  return Array.from({ length: count }, (_, at) =>
    all.slice(Math.floor((at * all.length) / count), Math.floor(((at + 1) * all.length) / count)),
  );
};
const sumOf = (steps: readonly RoleStep[]): number => steps.reduce((sum, { answers }) => sum + answers, 0);

/**
 * Steps of one role behind one another, as one turn. In the verifier's own steps the policy writes what is to
 * be judged, and learns nothing.
 */
const turnsOf = (steps: readonly RoleStep[], verifier: string): Turn[] => {
  const judging = new Set(steps.filter(({ role }) => role === verifier).map(({ step }) => step));
  const turns: Turn[] = [];
  for (const { role, step, answers } of steps) {
    if (role !== verifier && judging.has(step)) continue;
    const last = turns.at(-1);
    if (last?.role === role) turns[turns.length - 1] = { ...last, to: step, answers: last.answers + answers };
    else turns.push({ role, from: step, to: step, answers });
  }
  return turns;
};

/** What became of the first error; null where it is not known. */
export const kindOf = ({
  firstError,
  firstBlamed,
}: Pick<JudgedReply, 'firstError' | 'firstBlamed'>): Exclude<TranscriptKind, 'all'> | null => {
  if (firstError === null || firstBlamed === null) return null;
  if (firstError < 0) return firstBlamed < 0 ? null : 'false-alarm';
  if (firstBlamed < 0) return 'missed';
  return firstBlamed === firstError ? 'found' : 'elsewhere';
};

const stageFacts = (replies: readonly Judged[]): Omit<VerdictStage, 'from' | 'to' | 'stored'> => {
  const lines = replies.flatMap((reply) => reply.lines);
  const knows = lines.some(({ holds }) => holds !== null);
  return {
    read: replies.length,
    malformed: replies.filter(({ verdict }) => verdict === null).length,
    answers: confusionOf(replies.map(({ correct, verdict }) => [correct, verdict])),
    lines: knows ? confusionOf(lines.map(({ holds, verdict }) => [holds, verdict])) : null,
    firstError: firstErrorShares(
      replies.flatMap(({ firstError, firstBlamed }) =>
        firstError === null ? [] : [{ firstError, firstBlamed }],
      ),
    ),
  };
};

const confusionOf = (
  pairs: readonly (readonly [truth: boolean | null, verdict: boolean | null])[],
): Confusion => {
  const count = (truth: boolean, verdict: boolean): number =>
    pairs.filter((pair) => pair[0] === truth && pair[1] === verdict).length;
  return {
    rightAsRight: count(true, true),
    rightAsWrong: count(true, false),
    wrongAsRight: count(false, true),
    wrongAsWrong: count(false, false),
  };
};
