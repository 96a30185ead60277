import { WhetstoneError } from '../../engine/common/errors.ts';
import type { JudgeFrom } from '../../preload/contract/inside.ts';
import type { OpenServices } from '../headless/open.ts';

/** The run, checkpoint or model of the workspace with this id. Throws `not-found`. */
export async function judgeFrom({ api }: Pick<OpenServices, 'api'>, id: string): Promise<JudgeFrom> {
  for (const kind of ['run', 'checkpoint', 'model'] as const) {
    try {
      await api.lineage.of({ kind, id });
      return { kind, id };
    } catch (error) {
      if (WhetstoneError.from(error).kind !== 'not-found') throw error;
    }
  }
  throw new WhetstoneError('not-found', 'No run, checkpoint or model has this id.', {
    where: id,
    hint: 'The commands "runs" and "models" list them.',
  });
}
