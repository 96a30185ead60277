/** Steps of an answer; joined by the separator, they are the answer again. */
export interface SplitAnswer {
  readonly steps: readonly string[];
  readonly separator: string;
}

/** A step as offsets `[start, end)` in UTF-16 code units of the answer. */
export type StepRange = readonly [start: number, end: number];

/** Joins blank parts to the part before, or after at the beginning, so that each step has text. */
function withText(parts: readonly string[], separator: string): string[] {
  const steps: string[] = [];
  let lead: string | null = null;
  for (const part of parts) {
    const whole: string = lead === null ? part : lead + separator + part;
    lead = null;
    if (part.trim() !== '') steps.push(whole);
    else if (steps.length > 0) steps.push(steps.pop() + separator + part);
    else lead = whole;
  }
  return lead === null ? steps : [...steps, lead];
}

/** A boundary between steps: the literal separator, and a pattern that finds it. */
interface Boundary {
  readonly separator: string;
  readonly pattern: RegExp | string;
}

/** Boundaries of steps, the first that occurs counts. */
const boundaries: readonly Boundary[] = [
  { separator: '\r\n\r\n', pattern: '\r\n\r\n' },
  { separator: '\n\n', pattern: '\n\n' },
  { separator: '\r\n', pattern: '\r\n' },
  { separator: '\n', pattern: '\n' },
  // numbered steps within one line: "Step 2:", "2.", "(2)"
  { separator: ' ', pattern: / (?=(?:[Ss]tep\s+\d{1,3}[:.)]|\d{1,2}[.)] \p{Lu}|\(\d{1,2}\) \p{Lu}))/u },
  // sentences, unless a lower-case letter follows, as after "e.g."
  { separator: ' ', pattern: /(?<=[.!?]["'”’)\]]?) (?=[^\s\p{Ll}])/u },
  { separator: '', pattern: /(?<=[。！？])(?=.)/u },
];

/**
 * Splits an answer into steps: at blank lines, else at line breaks, at numbered steps, or between sentences;
 * an answer without any of them is one step. Every step has text, unless the whole answer has none.
 */
export function splitSteps(answer: string): SplitAnswer {
  for (const { separator, pattern } of boundaries) {
    const steps = withText(answer.split(pattern), separator);
    if (steps.length > 1) return { steps, separator };
  }
  return { steps: [answer], separator: '\n\n' };
}

/** Offsets of the steps in the answer. */
export function stepRanges({ steps, separator }: SplitAnswer): StepRange[] {
  let at = 0;
  return steps.map((step) => {
    const start = at;
    at += step.length + separator.length;
    return [start, start + step.length];
  });
}

/** The steps at these offsets, with the text between the first two as separator. */
export const stepsAt = (answer: string, ranges: readonly StepRange[]): SplitAnswer => ({
  steps: ranges.map(([start, end]) => answer.slice(start, end)),
  separator: ranges.length > 1 ? answer.slice(ranges[0][1], ranges[1][0]) : '\n\n',
});

/** A mark of a step: right, wrong, or not judged. */
export type StepMark = boolean | null;

/**
 * Marks of the lines of an answer, as judges of steps read it: the mark of the step that ends in the line;
 * null where none does. Of several steps in one line, the line is right if all are. Undefined if the steps no
 * longer make up the answer.
 */
export function lineMarks(
  answer: string,
  steps: readonly string[],
  marks: readonly StepMark[],
  ownSeparator?: string,
): StepMark[] | undefined {
  const separators = [...(ownSeparator === undefined ? [] : [ownSeparator]), '\n\n', '\n'];
  const separator = separators.find((each) => steps.join(each) === answer);
  if (separator === undefined) return undefined;
  const lines = answer.split('\n').map((): StepMark => null);
  stepRanges({ steps, separator }).forEach(([start, end], at) => {
    const mark = marks.at(at) ?? null;
    const last = start + steps[at].trimEnd().length;
    const line = answer.slice(0, Math.min(last, end)).split('\n').length - 1;
    if (mark !== null) lines[line] = mark && lines[line] !== false;
  });
  return lines;
}
