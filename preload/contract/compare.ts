import { z } from 'zod';
import { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import { call } from './define.ts';

const id = z.string().min(1);

/** One field in which specs differ; `names` holds the names of what its values refer to by id. */
export const Difference = z.strictObject({
  path: z.string(),
  values: z.array(z.unknown()),
  names: z.array(z.string().nullable()),
});

export const compare = {
  overview: call(
    z.strictObject({ runIds: z.array(id).min(1).max(64) }),
    z.strictObject({
      rows: z.array(
        z.strictObject({
          runId: z.string(),
          name: z.string(),
          method: z.string(),
          state: z.string(),
          evaluation: PolicyEvaluation.nullable(),
        }),
      ),
      differences: z.array(Difference),
    }),
  ),
  /** Writes one self-contained HTML file about these runs. */
  report: call(
    z.strictObject({
      runIds: z.array(id).min(1).max(64),
      title: z.string().max(200).default('Comparison'),
      path: z.string().nullable().default(null),
    }),
    z.strictObject({ path: z.string(), html: z.string() }),
  ),
};
