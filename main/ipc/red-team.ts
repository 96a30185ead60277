import type { Handlers } from '../../preload/contract/define.ts';
import type { redTeam } from '../../preload/contract/red-team.ts';
import type { Services } from '../services/services.ts';
import { redTeamAttacks } from '../use-cases/red-team/archive.ts';
import { redTeamOf } from '../use-cases/red-team/facts.ts';
import { redTeamToDataset } from '../use-cases/red-team/hand-over.ts';
import { redTeamMap } from '../use-cases/red-team/map.ts';

export const redTeamHandlers = (services: Pick<Services, 'store' | 'engine'>): Handlers<typeof redTeam> => ({
  of: (input) => redTeamOf(services, input),
  map: (input) => redTeamMap(services, input),
  attacks: (input) => redTeamAttacks(services, input),
  toDataset: (input) => redTeamToDataset(services, input),
});
