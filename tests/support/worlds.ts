import type { World } from '../../engine/worlds/index.ts';

const CANDIDATES = 20;

/**
 * The share of held-out problems that a world's best constant answer gets right, among the most frequent
 * right answers and their most frequent last lines.
 */
export const bestConstant = (
  world: World,
  problems: number,
  more: readonly string[] = [],
): { answer: string; share: number } => {
  const counts = new Map<string, number>();
  const demonstrations = Array.from({ length: problems }, (_, i) => world.demonstration(i, 0, 'heldout'));
  for (const { answer, correct } of demonstrations) {
    for (const text of correct ? new Set([answer, answer.slice(answer.lastIndexOf('\n') + 1)]) : [])
      counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const frequent = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, CANDIDATES)
    .map(([text]) => text);
  return [...frequent, ...more]
    .map((answer) => ({
      answer,
      share: demonstrations.filter(({ prompt }) => world.verify(prompt, answer).correct).length / problems,
    }))
    .reduce((best, one) => (one.share > best.share ? one : best));
};

/** Mean reward of a solver that reads the prompts, and its number of right answers, on held-out problems. */
export const solved = (
  world: World,
  solve: (prompt: string) => string,
  problems = 500,
): { reward: number; correct: number } => {
  const verdicts = Array.from({ length: problems }, (_, i) => world.problem('heldout', i, 0)).map((problem) =>
    world.verify(problem, solve(problem.prompt)),
  );
  return {
    reward: verdicts.reduce((sum, { reward }) => sum + reward, 0) / problems,
    correct: verdicts.filter(({ correct }) => correct).length / problems,
  };
};
export const CEILING = { reward: 1, correct: 1 };

/** Share of the demonstrations' worked lines that hold and that follow, by kind. */
export const stepsOf = (world: World, demonstrations: number) => {
  const of = (kind: string) =>
    Array.from({ length: demonstrations }, (_, i) => world.demonstration(i, 7)).filter(
      (d) => d.kind === kind,
    );
  return Object.fromEntries(
    ['right', 'wrong', 'rambling'].map((kind) => {
      const steps = of(kind).map(({ prompt, answer }) => world.verify(prompt, answer).steps ?? []);
      const all = steps.filter((each) => each.every(({ holds, follows }) => holds && follows)).length;
      return [kind, { count: steps.length, sound: all / Math.max(1, steps.length) }];
    }),
  );
};
