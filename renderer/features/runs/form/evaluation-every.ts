import { evaluationEvery, type EvaluationCost } from '../../../../engine/common/evaluation-every.ts';
import type { Method, TaskKind } from '../../../lib/methods.ts';

export const everyPath = ['evaluation', 'every'] as const;

/** What the default is derived from; `valueOf` returns what a field of the form shows. */
interface Shown {
  readonly method: Method | undefined;
  readonly taskKind: TaskKind | undefined;
  readonly valueOf: (path: readonly string[]) => unknown;
}

/**
 * The default for steps between evaluations of a policy on problems; undefined for other runs, and where
 * values that it needs cannot be read.
 */
export function defaultEvery({ method, taskKind, valueOf }: Shown): number | undefined {
  if (method?.produces !== 'policy' || !taskKind) return undefined;
  const hasProblems =
    valueOf(['task', 'kind']) === 'world' ||
    taskKind.trainsOn === 'problems' ||
    typeof valueOf(['evaluation', 'world']) === 'object';
  if (!hasProblems) return undefined;
  const { properties } = method.params as {
    properties?: { groupSize?: { default?: unknown } };
  };
  const values = {
    steps: valueOf(['budget', 'steps']),
    batch: valueOf(['budget', 'batch']),
    groupSize: valueOf(['method', 'params', 'groupSize']) ?? properties?.groupSize?.default ?? 1,
    problems: valueOf(['evaluation', 'problems']),
    samples: valueOf(['evaluation', 'samples']),
  };
  if (!Object.values(values).every((value) => typeof value === 'number' && value >= 0)) return undefined;
  const cost = { ...values, trainsOn: taskKind.trainsOn } as EvaluationCost;
  return evaluationEvery(cost) || undefined;
}
