import { z } from 'zod';
import { TaskSpec } from './run-spec.ts';

const dataKinds = TaskSpec.options.map(({ shape }) => shape.kind.value);

/** A kind of task, which is what a method learns from, as pages and main see it. */
export const TaskKindInfo = z.strictObject({
  kind: z.string(),
  /** Behind "From": `From demonstrations`. */
  title: z.string(),
  /** Data in which it can be found; a form suggests the first. */
  offeredBy: z.array(z.enum(dataKinds)),
  /**
   * What a training row is made from: an answer to imitate, an answer marked right or wrong, a pair of
   * answers, or a prompt that the policy answers.
   */
  trainsOn: z.enum(['examples', 'graded', 'pairs', 'problems']),
  /** `needed`: at least one reward must count. `recorded`: with each answer. `optional`: forms offer none. */
  rewards: z.enum(['needed', 'recorded', 'optional']),
});
export type TaskKindInfo = z.infer<typeof TaskKindInfo>;
