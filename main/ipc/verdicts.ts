import type { Handlers } from '../../preload/contract/define.ts';
import type { verdicts as contract } from '../../preload/contract/verdicts.ts';
import type { Services } from '../services/services.ts';
import { judgedTranscripts, verdictsOfRun } from '../use-cases/verdicts.ts';

// the store is that of the workspace that is open when it is asked
export const verdictsHandlers = (services: Pick<Services, 'store'>): Handlers<typeof contract> => ({
  ofRun: ({ runId }) => verdictsOfRun(services.store, runId),
  transcripts: (question) => judgedTranscripts(services.store, question),
});
