/**
 * Shared code of worlds with worked answers: levels, one final answer line `#…`, and demonstrations with
 * errors or redundant lines.
 */
import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import type { DemonstrationKind, Levels, StepVerdict, WorldVerdict } from './world.ts';

const fraction = z.number().min(0).max(1);

/** Parameters of a world with levels 1 to `highest`. */
export const workedFields = (highest: number, trained: number, above: number) => ({
  levels: z
    .int()
    .min(1)
    .max(highest)
    .default(trained)
    .describe(`Levels 1 to this are trained on, each equally often; there are ${highest}.`),
  heldoutLevels: z
    .int()
    .min(0)
    .max(highest - 1)
    .default(above)
    .describe('Number of further levels used only in evaluation.'),
  wrong: fraction
    .default(0.25)
    .describe('Share of demonstrations with an error that is carried forward to a wrong answer.'),
  rambling: fraction
    .default(0.1)
    .describe('Share of demonstrations that are right, with redundant lines between the steps.'),
  heldout: z
    .number()
    .min(0.01)
    .max(0.9)
    .default(0.2)
    .describe('Share of the problems of the trained levels that are kept for evaluation.'),
});
interface Worked {
  readonly levels: number;
  readonly heldoutLevels: number;
  readonly wrong: number;
  readonly rambling: number;
}

type Refinement<P> = [check: (p: P) => boolean, complaint: { message: string; path: string[] }];

/** For `.refine(...levelsFit(highest))`. */
export const levelsFit = (highest: number): Refinement<Pick<Worked, 'levels' | 'heldoutLevels'>> => [
  (p) => p.levels + p.heldoutLevels <= highest,
  { message: `levels and heldoutLevels must not exceed ${highest} together`, path: ['heldoutLevels'] },
];

/** For `.refine(...sharesFit)`. */
export const sharesFit: Refinement<Pick<Worked, 'wrong' | 'rambling'>> = [
  (p) => p.wrong + p.rambling <= 1 + 1e-9,
  { message: 'wrong and rambling must not exceed 1 together', path: ['rambling'] },
];

/** Levels 1 … `levels`, and the held-out ones above. */
export const levelsOf = ({ levels, heldoutLevels }: Worked): Levels => ({
  trained: Array.from({ length: levels }, (_, i) => i + 1),
  heldout: Array.from({ length: heldoutLevels }, (_, i) => levels + i + 1),
});
/** The hardest level, which determines maximum lengths. */
export const hardest = ({ levels, heldoutLevels }: Worked): number => levels + heldoutLevels;

/** Draws the kind of a demonstration. */
export const kindOf = (
  { wrong, rambling }: Pick<Worked, 'wrong' | 'rambling'>,
  draw: RandomStream,
): DemonstrationKind => {
  const u = draw.next();
  return u < wrong ? 'wrong' : u < wrong + rambling ? 'rambling' : 'right';
};

/**
 * The answer's lines with one to four redundant ones between its steps, as many as fit into `room`
 * characters.
 */
export const withRedundantLines = (
  lines: readonly string[],
  idleAfter: (line: string) => readonly string[],
  room: number,
  draw: RandomStream,
): string[] => {
  const out = [...lines];
  const length = () => out.reduce((sum, line) => sum + line.length + 1, -1);
  for (let remaining = 1 + draw.int(4); remaining > 0 && out.length > 1; remaining--) {
    const at = draw.int(out.length - 1); // after any line except the answer
    const idle = idleAfter(out[at]).filter((line) => length() + line.length + 1 <= room);
    if (idle.length === 0) break;
    out.splice(at + 1, 0, draw.pick(idle));
  }
  return out;
};

export const wrong = (reason: string, steps?: readonly StepVerdict[]): WorldVerdict => ({
  correct: false,
  reward: 0,
  reason,
  ...(steps && { steps }),
});
export const right = (steps: readonly StepVerdict[]): WorldVerdict => ({
  correct: true,
  reward: 1,
  reason: 'right',
  steps,
});
export const NOT_A_PROBLEM = wrong('not a problem of this world');

/**
 * Worked lines and the text after `#` on the last line; a text without exactly one answer line, or longer
 * than `longest`, already has its verdict.
 */
export const answerOf = (
  completion: string,
  longest: number,
): { readonly lines: readonly string[]; readonly answer: string } | WorldVerdict => {
  if (completion.length > longest) return wrong('too long');
  const lines = completion.split('\n');
  const answer = lines.pop() ?? '';
  if (!answer.startsWith('#'))
    return wrong(completion.includes('#') ? 'text after the answer' : 'no answer line');
  if (lines.some((line) => line.includes('#'))) return wrong('more than one answer line');
  return { lines, answer: answer.slice(1) };
};
