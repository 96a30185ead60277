import type { ModelPlace } from '../../engine/schema/messages.ts';
import { newestJudge } from './newest-judge.ts';
import { placeOf } from './opened-model.ts';
import type { Services } from './services.ts';

/** A run's newest judge, a checkpoint, or an added model. */
export interface JudgeId {
  readonly kind: 'run' | 'checkpoint' | 'model';
  readonly id: string;
}

/** A judge's files, and the checkpoint or model that they are. */
export interface JudgePlace extends ModelPlace {
  /** Hash of the files. */
  readonly hash: string;
  /** Id of the checkpoint or model. */
  readonly ref: string;
}

/** The files of a judge. Throws `not-found`, and `conflict` for an added model whose files have changed. */
export async function judgePlace(
  services: Pick<Services, 'store' | 'engine' | 'folder'>,
  { kind, id }: JudgeId,
): Promise<JudgePlace> {
  const ref = kind === 'run' ? await newestJudge(services, id) : id;
  const place = await placeOf(services, { kind: kind === 'model' ? 'model' : 'checkpoint', id: ref });
  return { ...place, ref };
}

/** A judge's files as calls of the engine take them. */
export const judgeInput = ({ folder, base }: ModelPlace) => ({ checkpoint: folder, ...(base && { base }) });
