import type { Handlers } from '../../preload/contract/define.ts';
import type { quality } from '../../preload/contract/quality.ts';
import { repeatsOf } from '../services/label-consensus.ts';
import type { Services } from '../services/services.ts';
import { qualityReport, selfAgreementOf } from '../use-cases/label-quality.ts';

export const qualityHandlers = (services: Services): Handlers<typeof quality> => ({
  report: ({ setId }) => qualityReport(services.store, setId),
  ceiling: async ({ setId }) => selfAgreementOf(await repeatsOf(services.store.labelQuality, setId)),
  gold: async ({ setId }) => [...(await services.store.labelQuality.gold(setId, -1)).items],
  markGold: ({ setId, items, source }) => services.store.labelQuality.markGold(setId, items, source),
  goldFromMarks: ({ setId }) => services.store.labelQuality.goldFromMarks(setId),
  unmarkGold: ({ setId, pairIds }) => services.store.labelQuality.unmarkGold(setId, pairIds ?? null),
});
