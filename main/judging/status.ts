import type { WhetstoneError } from '../../engine/common/errors.ts';
import type { JudgeStatus } from '../../preload/contract/judge.ts';
import { judgedFrom } from '../../preload/wire/judge.ts';
import type { FeatureFiles } from './features.ts';
import { sourceOf, type JudgeSources } from './sources.ts';
import { orderKey } from './work.ts';

/** The step in progress, and the share of it that is done; `ready`: none. */
export interface Step {
  readonly state: 'features' | 'fitting' | 'ordering' | 'ready';
  readonly share: number;
}

interface Progress extends Step {
  readonly working: boolean;
  readonly error: WhetstoneError | null;
  readonly files: FeatureFiles | null;
}

const factsOf = ({ message, hint, where }: WhetstoneError): JudgeStatus['error'] => ({
  message,
  ...(hint !== undefined && { hint }),
  ...(where !== undefined && { where }),
});

/** What a page sees of a set's judge. A model that was removed is an error of the status, not of the call. */
export async function statusOf(
  { store }: Pick<JudgeSources, 'store'>,
  setId: string,
  { state, share, working, error, files }: Progress,
): Promise<JudgeStatus> {
  const settings = await store.labelJudge.settings(setId);
  let problem = error;
  const source = await sourceOf({ store }, settings.model).catch((reason: WhetstoneError) => {
    problem ??= reason;
    return '';
  });
  const { mode, decided, fit, order } = await store.labelJudge.state(setId, source);
  const { pairs: read, tooLong } = files?.read ?? { pairs: 0, tooLong: 0 };
  const isWaiting = state === 'ready' && decided < judgedFrom;
  return {
    setId,
    settings,
    state: mode !== 'pair' ? 'unsupported' : isWaiting ? 'waiting' : state,
    working,
    share,
    decided,
    fit: fit && {
      labels: fit.labels,
      accuracy: fit.accuracy,
      interval: fit.interval,
      at: fit.at,
      leftOut: fit.leftOut,
      curve: fit.curve,
    },
    history: await store.labelJudge.history(setId, source),
    orderedAt: order?.settings === orderKey(settings, source) ? order.at : null,
    read,
    tooLong,
    disagreements: await store.disagreements.count(setId),
    error: problem && factsOf(problem),
  };
}
