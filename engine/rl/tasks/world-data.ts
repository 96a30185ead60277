/** Makes task data from a world: an endless training stream, and the same held-out rows in every run. */
import { WhetstoneError } from '../../common/errors.ts';
import type { Preference } from '../../schema/preference.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { World } from '../../worlds/index.ts';
import { decided } from './decisions.ts';
import type { Example, Graded, TaskData, Pair } from './task-data.ts';

/** Number of held-out demonstrations and of held-out pairs. */
const HELDOUT_ROWS = 400;

/** Task data made from a world. */
export const fromWorld = (world: World, { seed, budget, evaluation }: RunSpec): TaskData => {
  const draws = budget.steps * budget.batch;
  const preference = world.preference?.bind(world);
  const verdictOf = (index: number, split: 'train' | 'heldout'): Preference | undefined => {
    const found = preference?.(split, index, seed);
    if (!found) return undefined;
    const { promptId, prompt, a, b, better } = found;
    return {
      pairId: `${split}-${index}`,
      promptId,
      prompt,
      a,
      b,
      verdict: better,
      correctA: world.verify(prompt, a).correct,
      correctB: world.verify(prompt, b).correct,
    };
  };
  const heldout = Array.from({ length: Math.min(HELDOUT_ROWS, evaluation.problems) }, (_, i) => i);
  const graded = (index: number, split: 'train' | 'heldout'): Graded => {
    const { correct, ...row } = world.demonstration(index, seed, split);
    const { steps } = world.verify(row.prompt, row.answer);
    return {
      ...row,
      right: correct,
      ...(steps && { steps: steps.map(({ holds, follows }) => holds && follows) }),
    };
  };
  return {
    name: `world '${world.id}'`,
    texts: [world.alphabet],
    trainingTexts: [world.alphabet],
    examples: { size: Infinity, at: (draw) => world.demonstration(draw, seed) },
    worked: { size: Infinity, at: (draw) => rightOf(world, draw, seed) },
    graded: { size: Infinity, at: (draw) => graded(draw, 'train') },
    problems: { size: Infinity, at: (draw) => world.problem('train', draw, seed) },
    ...(preference && {
      pairs: {
        size: draws,
        at: (draw) => ({
          ...(decided(verdictOf(draw, 'train') as Preference) as Pair),
          ...goldOf(world, preference('train', draw, seed)),
        }),
      },
    }),
    heldout: {
      examples: heldout.map((i) => world.demonstration(i, seed, 'heldout')),
      pairs: heldout.map((i) => verdictOf(i, 'heldout')).filter((pair) => pair !== undefined),
      graded: heldout.map((i) => graded(i, 'heldout')),
      problems: [],
    },
    hasReferences: true,
    world,
  };
};

/** The reference of a pair's problem if it is a right answer itself. */
const goldOf = (
  world: World,
  { prompt, reference }: { readonly prompt: string; readonly reference: string },
): { gold?: string } => (world.verify(prompt, reference).correct ? { gold: reference } : {});

/** Number of demonstrations tried for a right one; draws have disjoint ranges of them. */
const RANGE = 64;

/** The first right demonstration in a draw's range. Throws `invalid-input` if there is none. */
const rightOf = (world: World, draw: number, seed: number): Example => {
  for (let at = draw * RANGE; at < (draw + 1) * RANGE; at++) {
    const found = world.demonstration(at, seed);
    if (found.correct) return found;
  }
  throw new WhetstoneError(
    'invalid-input',
    `None of ${RANGE} demonstrations of world '${world.id}' is right, so there is no worked answer.`,
    { where: 'task.params' },
  );
};
