import { WhetstoneError } from '../../common/errors.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Method } from '../kernel/method.ts';
import { aLol } from './a-lol.ts';
import { aepo } from './aepo.ts';
import { awSampling } from './aw-sampling.ts';
import { bradleyTerry } from './bradley-terry.ts';
import { btMargin } from './bt-margin.ts';
import { weakToStrong } from './weak-to-strong.ts';
import { cRlft } from './c-rlft.ts';
import { cispo } from './cispo.ts';
import { copg } from './copg.ts';
import { cory } from './cory.ts';
import { crt } from './crt.ts';
import { cpl } from './cpl.ts';
import { cpo } from './cpo.ts';
import { dapoBytedance } from './dapo-bytedance.ts';
import { cure } from './cure.ts';
import { davidson } from './davidson.ts';
import { decoupledPpo } from './decoupled-ppo.ts';
import { directAdvantage } from './direct-advantage.ts';
import { dphRl } from './dph-rl.ts';
import { dpa } from './dpa.ts';
import { dpo } from './dpo.ts';
import { ensembleReward } from './ensemble-reward.ts';
import { gdc } from './gdc.ts';
import { deadEnd } from './dead-end.ts';
import { generativeVerdict } from './generative-verdict.ts';
import { goalReward } from './goal-reward.ts';
import { grpoRoc } from './grpo-roc.ts';
import { grpo } from './grpo.ts';
import { gspo } from './gspo.ts';
import { hypo } from './hypo.ts';
import { inverseSoftQ } from './inverse-soft-q.ts';
import { ipo } from './ipo.ts';
import { kto } from './kto.ts';
import { litePpo } from './lite-ppo.ts';
import { lpReg } from './lp-reg.ts';
import { mart } from './mart.ts';
import { multiHeadReward } from './multi-head-reward.ts';
import { kdrl } from './kdrl.ts';
import { nlpo } from './nlpo.ts';
import { nft } from './nft.ts';
import { onlineDpo } from './online-dpo.ts';
import { digirl } from './digirl.ts';
import { loop } from './loop.ts';
import { slim } from './slim.ts';
import { spaRl } from './spa-rl.ts';
import { ssrl } from './ssrl.ts';
import { oorl } from './oorl.ts';
import { oprl } from './oprl.ts';
import { oreal } from './oreal.ts';
import { oreo } from './oreo.ts';
import { orpo } from './orpo.ts';
import { outcomeVerifier } from './outcome-verifier.ts';
import { pacs } from './pacs.ts';
import { pfPpo } from './pf-ppo.ts';
import { ppo } from './ppo.ts';
import { prdp } from './prdp.ts';
import { prefixRft } from './prefix-rft.ts';
import { processVerifier } from './process-verifier.ts';
import { raft } from './raft.ts';
import { restMcts } from './rest-mcts.ts';
import { stepApo } from './step-apo.ts';
import { stepDpo } from './step-dpo.ts';
import { reinforcePlusPlus } from './reinforce-plus-plus.ts';
import { reinforce } from './reinforce.ts';
import { remix } from './remix.ts';
import { restEm } from './rest-em.ts';
import { rlgf } from './rlgf.ts';
import { rloo } from './rloo.ts';
import { roer } from './roer.ts';
import { rover } from './rover.ts';
import { rso } from './rso.ts';
import { salmon } from './salmon.ts';
import { ert } from './ert.ts';
import { sample } from './sample.ts';
import { boostStep } from './boost-step.ts';
import { searchDescend } from './search-descend.ts';
import { searchEvolve } from './search-evolve.ts';
import { selfPrm } from './self-prm.ts';
import { searchBeam } from './search-beam.ts';
import { searchRounds } from './search-rounds.ts';
import { search } from './search.ts';
import { satori } from './satori.ts';
import { scaleRl } from './scale-rl.ts';
import { selfRationalization } from './self-rationalization.ts';
import { controlPpo } from './control-ppo.ts';
import { dqn } from './dqn.ts';
import { noisyPpo } from './noisy-ppo.ts';
import { rle } from './rle.ts';
import { rleLanguage } from './rle-language.ts';
import { rnd } from './rnd.ts';
import { sac } from './sac.ts';
import { sacReplay } from './sac-replay.ts';
import { lwf } from './lwf.ts';
import { sft } from './sft.ts';
import { simpo } from './simpo.ts';
import { slic } from './slic.ts';
import { spct } from './spct.ts';
import { spark } from './spark.ts';
import { spear } from './spear.ts';
import { spo } from './spo.ts';
import { t1 } from './t1.ts';
import { targetedLat } from './targeted-lat.ts';
import { tango } from './tango.ts';
import { tReg } from './t-reg.ts';
import { thr } from './thr.ts';
import { tpo } from './tpo.ts';
import { verl } from './verl.ts';
import { vpl } from './vpl.ts';
import { xpo } from './xpo.ts';
import { agentRlvr } from './agent-rlvr.ts';
import { cogRethinker } from './cog-rethinker.ts';
import { critiqueGrpo } from './critique-grpo.ts';
import { evolve } from './evolve.ts';
import { evoscale } from './evoscale.ts';
import { expo } from './expo.ts';
import { leti } from './leti.ts';
import { score } from './score.ts';
import { situatedFaithfulness } from './situated-faithfulness.ts';

/** Every method. A new one is its file and one line here; tests/contracts/every-method finds it. */
export const methods: readonly Method[] = [
  sft,
  lwf,
  dpo,
  dphRl,
  ipo,
  slic,
  simpo,
  cpo,
  orpo,
  rso,
  xpo,
  verl,
  kto,
  onlineDpo,
  spo,
  tpo,
  thr,
  cpl,
  hypo,
  tReg,
  targetedLat,
  grpo,
  reinforce,
  rloo,
  rlgf,
  ppo,
  nlpo,
  gspo,
  cispo,
  reinforcePlusPlus,
  dapoBytedance,
  nft,
  bradleyTerry,
  sample,
  ert,
  search,
  searchBeam,
  selfPrm,
  searchEvolve,
  searchDescend,
  boostStep,
  searchRounds,
  raft,
  restEm,
  outcomeVerifier,
  processVerifier,
  multiHeadReward,
  ensembleReward,
  btMargin,
  davidson,
  cRlft,
  weakToStrong,
  aLol,
  copg,
  pacs,
  rover,
  oreo,
  oreal,
  generativeVerdict,
  deadEnd,
  spct,
  selfRationalization,
  vpl,
  goalReward,
  salmon,
  dpa,
  prefixRft,
  oprl,
  directAdvantage,
  t1,
  kdrl,
  litePpo,
  scaleRl,
  pfPpo,
  prdp,
  gdc,
  lpReg,
  inverseSoftQ,
  awSampling,
  aepo,
  grpoRoc,
  remix,
  spear,
  decoupledPpo,
  roer,
  oorl,
  tango,
  cory,
  spark,
  mart,
  crt,
  digirl,
  loop,
  slim,
  spaRl,
  ssrl,
  satori,
  cure,
  stepDpo,
  stepApo,
  restMcts,
  evoscale,
  score,
  critiqueGrpo,
  expo,
  evolve,
  leti,
  agentRlvr,
  cogRethinker,
  situatedFaithfulness,
  controlPpo,
  dqn,
  sac,
  sacReplay,
  rle,
  rleLanguage,
  rnd,
  noisyPpo,
];

/** The method that a spec names. Throws `not-found` where there is none. */
export const methodOf = ({ method: { id } }: Pick<RunSpec, 'method'>): Method => {
  const method = methods.find((each) => each.id === id);
  if (!method) throw new WhetstoneError('not-found', `There is no method '${id}'.`, { where: 'method.id' });
  return method;
};
