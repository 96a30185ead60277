export {
  allocation,
  arenaRules,
  coefficients,
  probabilities,
  standings,
  type ArmDecision,
} from './arena/index.ts';
export { snippetOf, type Added, type AddedCandidate } from './expand.ts';
export { eachOperator, operate, operations, operators, readReferences } from './operators/index.ts';
export { showable, type Showable } from './operators/show.ts';
export type { Operator, PlanRow } from './operators/operator.ts';
export {
  planNodes,
  withResults,
  type PlannedDataNode,
  type PlannedLabelsNode,
  type PlannedNode,
  type PlannedPlan,
  type PlannedPull,
  type PlannedRunNode,
} from './plan.ts';
