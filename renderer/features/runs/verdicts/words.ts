import type {
  Confusion,
  JudgedLine,
  JudgedTranscript,
  Turn,
  TranscriptKind,
  VerdictStage,
} from '../../../../preload/contract/verdicts.ts';
import { count, number, plural } from '../../../lib/format.ts';

/** How a verdict on a line meets the truth; `open` where one of them is missing. */
export type Meeting = 'caught' | 'missed' | 'false-alarm' | 'agreed' | 'open';

export const meetingOf = ({ verdict, holds }: Pick<JudgedLine, 'verdict' | 'holds'>): Meeting => {
  if (verdict === null || holds === null) return 'open';
  if (holds) return verdict ? 'agreed' : 'false-alarm';
  return verdict ? 'missed' : 'caught';
};

const meetings: Readonly<Record<Meeting, string>> = {
  caught: 'wrong, and marked',
  missed: 'wrong, not marked',
  'false-alarm': 'right, but marked',
  agreed: 'right',
  open: '',
};

/** What a line's verdict and its truth say together; of a line of unknown truth the verdict alone. */
export const lineText = (line: Pick<JudgedLine, 'verdict' | 'holds'>): string => {
  const meeting = meetingOf(line);
  if (meeting !== 'open') return meetings[meeting];
  if (line.verdict !== null) return line.verdict ? 'verdict: right' : 'verdict: wrong';
  return line.holds === null ? 'no verdict' : `no verdict; ${line.holds ? 'right' : 'wrong'}`;
};

export const kindTitles: Readonly<Record<TranscriptKind, string>> = {
  all: 'All answers',
  found: 'First error found',
  elsewhere: 'Error sought elsewhere',
  missed: 'Error missed',
  'false-alarm': 'False alarm',
};

export const transcriptKinds = Object.keys(kindTitles) as readonly TranscriptKind[];

/** The verdict on the whole against the outcome. */
export const wholeText = ({ verdict, correct }: Pick<JudgedTranscript, 'verdict' | 'correct'>): string => {
  const said = verdict === null ? 'no readable verdict' : `verdict ${verdict ? 'right' : 'wrong'}`;
  return correct === null ? said : `${correct ? 'right' : 'wrong'} answer, ${said}`;
};

/** Updates and turns of a role. */
export const turnsText = (role: string, turns: readonly Turn[]): string => {
  const own = turns.filter((turn) => turn.role === role);
  const updates = own.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return `${plural(updates, 'step')} in ${plural(own.length, 'turn')}`;
};

/** Rows of a matrix: those that are right, and those that are wrong, with their verdicts. */
export const rowsOf = ({ rightAsRight, rightAsWrong, wrongAsRight, wrongAsWrong }: Confusion) => [
  { truth: 'right', counts: [rightAsRight, rightAsWrong], agreed: 0 },
  { truth: 'wrong', counts: [wrongAsRight, wrongAsWrong], agreed: 1 },
];

/** What a matrix leaves out: F1 of the first error, and verdicts that could not be read. */
export const remarksOf = ({ firstError: { f1 }, malformed }: VerdictStage): string =>
  [f1 !== null && `first error F1 ${number(f1)}`, malformed > 0 && `${count(malformed)} unreadable`]
    .filter((each) => each !== false)
    .join('; ');

export const stepsText = (from: number, to: number): string =>
  from === to ? `step ${count(from)}` : `steps ${count(from)}–${count(to)}`;
