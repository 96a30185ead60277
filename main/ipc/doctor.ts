import { userInfo } from 'node:os';
import type { Handlers } from '../../preload/contract/define.ts';
import type { doctor, ExamineProgress, FixProgress } from '../../preload/contract/doctor.ts';
import type { Services } from '../services/services.ts';
import { examineDataset } from '../use-cases/doctor/examine.ts';
import { fixFinding } from '../use-cases/doctor/fix.ts';
import { worked } from './stream.ts';

export const doctorHandlers = (services: Services): Handlers<typeof doctor> => ({
  get: ({ id }) => services.store.findings.get(id),
  examine: (input, signal) =>
    worked<ExamineProgress>(signal, (stop, push) => examineDataset(services, input, stop, push)),
  fix: (input, signal) =>
    worked<FixProgress>(signal, (stop, push) =>
      fixFinding(services.store, { ...input, author: input.author || userInfo().username }, stop, push),
    ),
});
