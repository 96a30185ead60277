import type { Handlers } from '../../preload/contract/define.ts';
import type { verdicts as contract } from '../../preload/contract/verdicts.ts';
import type { Services } from '../services/services.ts';
import { judgedTranscripts, verdictsOfRun } from '../use-cases/verdicts.ts';

export const verdictsHandlers = ({ store }: Pick<Services, 'store'>): Handlers<typeof contract> => ({
  ofRun: ({ runId }) => verdictsOfRun(store, runId),
  transcripts: (question) => judgedTranscripts(store, question),
});
