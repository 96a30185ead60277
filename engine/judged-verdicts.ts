/** Verdicts that a model wrote about answers, against what the world says of the same lines. */
import { verdictsOf } from './rl/parts/math/written-verdicts.ts';
import type { VerdictWords } from './rl/kernel/recipe.ts';
import { methodOf } from './rl/methods/index.ts';
import { stubOf } from './rl/tasks/kinds/index.ts';
import type { RunSpec } from './schema/run-spec.ts';
import { openWorldById, type World } from './worlds/index.ts';

/** A role of a run that writes verdicts, and the world that knows better; null where the task is none. */
export interface VerdictWriter {
  readonly role: string;
  readonly words: VerdictWords;
  readonly world: World | null;
}

/** The first role of a run that writes verdicts on lines; null without one. Throws as `openWorldById`. */
export const verdictWriter = (spec: RunSpec): VerdictWriter | null => {
  const method = methodOf(spec);
  const { roles } = method.recipe(spec.method.params, stubOf(method));
  const { task } = spec;
  const found = Object.entries(roles).find(([, { verdicts }]) => verdicts);
  if (!found?.[1].verdicts) return null;
  const world = task.kind === 'world' ? openWorldById(task.id, task.params) : null;
  return { role: found[0], words: found[1].verdicts, world };
};

/**
 * A stored reply of a verifier. `shown`: prompt, answer and cues. `agrees`: its reward for the outcome, 0 or
 * 1.
 */
export interface WrittenReply {
  readonly prompt: string;
  readonly shown: string;
  readonly written: string;
  readonly agrees: number | null;
}

export interface JudgedLine {
  readonly text: string;
  /** Null where no verdict was written. */
  readonly verdict: boolean | null;
  /** True if the line holds; null where the world does not judge it. */
  readonly holds: boolean | null;
}

export interface JudgedReply {
  readonly prompt: string;
  /** The judged lines; empty if what was judged is no line. */
  readonly lines: readonly JudgedLine[];
  /** What follows the judged lines: the final answer. */
  readonly rest: string;
  readonly written: string;
  /** The verdict on the whole; null if the words have not the right number or form. */
  readonly verdict: boolean | null;
  readonly correct: boolean | null;
  /** First line that does not hold; −1 of a right answer; null if unknown. */
  readonly firstError: number | null;
  /** First line with the verdict wrong; −1 without one; null without verdicts. */
  readonly firstBlamed: number | null;
}

/** Reads a verifier's reply. Null for one whose prompt was cut, so that it did not see the whole answer. */
export const judgedReply = (
  { prompt, shown, written, agrees }: WrittenReply,
  { words, world }: Pick<VerdictWriter, 'words' | 'world'>,
): JudgedReply | null => {
  const [answer, due] = shownAnswer(shown, words.cue);
  if (due === 0 || !answer.startsWith(prompt)) return null;
  const pieces = answer.slice(prompt.length).split('\n');
  const isByLine = pieces.length === due;
  const verdicts = verdictsOf(written, words, due);
  const judged = world?.verify(prompt, pieces.join('\n'));
  const verdict = verdicts?.at(-1) ?? null;
  const agreed = verdict === null || agrees === null ? null : agrees > 0.5 === verdict;
  const correct = judged?.correct ?? agreed;
  const lines = (isByLine ? pieces.slice(0, -1) : []).map((text, at): JudgedLine => ({
    text,
    verdict: verdicts?.[at] ?? null,
    holds: judged?.steps?.[at]?.holds ?? null,
  }));
  return {
    prompt,
    lines,
    rest: isByLine ? pieces[pieces.length - 1] : pieces.join('\n'),
    written,
    verdict,
    correct,
    firstError: firstErrorOf(lines, correct),
    firstBlamed: verdicts && lines.findIndex((line) => line.verdict === false),
  };
};

/** The text before the cues, and their number. */
const shownAnswer = (shown: string, cue: string): readonly [answer: string, cues: number] => {
  let end = shown.length;
  while (shown.endsWith(cue, end) && end > 0) end -= cue.length;
  return [shown.slice(0, end), (shown.length - end) / cue.length];
};

/** A wrong answer of right lines has its error behind them, and none of the places counts. */
const firstErrorOf = (lines: readonly JudgedLine[], correct: boolean | null): number | null => {
  if (correct === null || lines.some(({ holds }) => holds === null)) return null;
  if (correct) return -1;
  const first = lines.findIndex(({ holds }) => !holds);
  return first < 0 ? null : first;
};
