import * as z from 'zod';
import { TaskSpec } from './run-spec.ts';

const dataKinds = TaskSpec.options.map(({ shape }) => shape.kind.value);

/** A kind of task (the training data of a method), for pages and main. */
export const TaskKindInfo = z.strictObject({
  kind: z.string(),
  /** Shown after "From": `From demonstrations`. */
  title: z.string(),
  /** Kinds of data that provide it; a form suggests the first. */
  offeredBy: z.array(z.enum(dataKinds)),
  /**
   * The content of a training row: an answer to imitate, an answer marked right or wrong, a pair of
   * answers, a prompt that the policy answers, or a step in a control world.
   */
  trainsOn: z.enum(['examples', 'graded', 'pairs', 'problems', 'steps']),
  /**
   * `needed`: at least one reward with a weight. `recorded`: logged with each answer. `optional`: not shown
   * in forms.
   */
  rewards: z.enum(['needed', 'recorded', 'optional']),
});
export type TaskKindInfo = z.infer<typeof TaskKindInfo>;
