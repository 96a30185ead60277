import type { StoredAnswer, StoredRun } from '../../engine/index.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Seen } from './toy-run.ts';

/** A run's events as the store keeps them, for the run doctor; roles that share a metric precede its name. */
export const evidenceOf = (
  spec: RunSpec,
  seen: readonly Seen[],
  more: Partial<Pick<StoredRun, 'start' | 'trainingRows'>> = {},
): StoredRun => {
  const points = seen.flatMap((event) =>
    event.type === 'metrics'
      ? Object.entries(event.values).map(([name, value]) => ({
          role: event.role,
          name,
          step: event.step,
          value,
        }))
      : [],
  );
  const curves = [...Map.groupBy(points, ({ name }) => name)].flatMap(([name, own]) => {
    const byRole = [...Map.groupBy(own, ({ role }) => role)];
    return byRole.map(([role, line]) => {
      const newest = [...new Map(line.map((point) => [point.step, point])).values()];
      return {
        name: byRole.length > 1 ? `${role}/${name}` : name,
        steps: Float64Array.from(newest, ({ step }) => step),
        values: Float64Array.from(newest, ({ value }) => value),
      };
    });
  });
  const answers = seen.flatMap((event): StoredAnswer[] =>
    event.type === 'trajectories'
      ? event.rows
          .filter(({ purpose }) => purpose === 'train')
          .map(({ step, promptId, completion, tokens, promptLength, scores }) => ({
            step,
            promptId,
            completion,
            tokens: tokens.length - promptLength,
            scores,
          }))
      : [],
  );
  const every = Math.max(1, Math.ceil(new Set(answers.map(({ step }) => step)).size / 16));
  return {
    spec,
    curves,
    answers: answers.filter(({ step }) => step % every === 0),
    results: seen.flatMap((event) =>
      event.type === 'result' ? [{ kind: event.kind, step: event.step, attempt: 1, value: event.value }] : [],
    ),
    start: null,
    trainingRows: null,
    ...more,
  };
};
