import type { Handlers } from '../../preload/contract/define.ts';
import type { redTeam } from '../../preload/contract/red-team.ts';
import type { Services } from '../services/services.ts';
import { redTeamAttacks, redTeamOf } from '../use-cases/red-team.ts';

export const redTeamHandlers = (services: Pick<Services, 'store'>): Handlers<typeof redTeam> => ({
  of: (input) => redTeamOf(services, input),
  attacks: (input) => redTeamAttacks(services, input),
});
