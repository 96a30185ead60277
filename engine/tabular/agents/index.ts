import { WhetstoneError } from '../../common/errors.ts';
import type { AgentKind } from '../kernel/agent.ts';
import { arsq } from './arsq.ts';
import { barfi } from './barfi.ts';
import { beacons } from './beacons.ts';
import { expRd } from './exp-rd.ts';
import { fDvl } from './f-dvl.ts';
import { fisor } from './fisor.ts';
import { forgetting } from './forgetting.ts';
import { goExplore } from './go-explore.ts';
import { h2o } from './h2o.ts';
import { hilp } from './hilp.ts';
import { hnpg } from './hnpg.ts';
import { mbrcsl } from './mbrcsl.ts';
import { mex } from './mex.ts';
import { optimalAc } from './optimal-ac.ts';
import { qLearning } from './q-learning.ts';
import { sequenceQ } from './sequence-q.ts';
import { sqirl } from './sqirl.ts';
import { stax } from './stax.ts';
import { stitch } from './stitch.ts';
import { streamQ } from './stream-q.ts';
import { toponav } from './toponav.ts';

/** Every tabular agent, the baseline first. */
export const agents: readonly AgentKind[] = [
  qLearning,
  goExplore,
  mex,
  optimalAc,
  streamQ,
  sequenceQ,
  sqirl,
  barfi,
  expRd,
  beacons,
  hnpg,
  fDvl,
  h2o,
  hilp,
  stitch,
  mbrcsl,
  fisor,
  forgetting,
  toponav,
  stax,
  arsq,
];

/** Throws `invalid-input` for an unknown id. */
export const agentById = (id: string, where: string): AgentKind => {
  const found = agents.find((agent) => agent.id === id);
  if (found) return found;
  throw new WhetstoneError('invalid-input', `There is no tabular agent '${id}'.`, {
    where,
    hint: `Known: ${agents.map((agent) => agent.id).join(', ')}.`,
  });
};
