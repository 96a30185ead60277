export { allocation, arenaRules, coefficients, probabilities } from './arena/index.ts';
export { operate, operations, operators } from './operators/index.ts';
export type { Operator, PlanRow } from './operators/operator.ts';
export {
  planNodes,
  withResults,
  type PlannedDataNode,
  type PlannedLabelsNode,
  type PlannedNode,
  type PlannedPlan,
  type PlannedRunNode,
} from './plan.ts';
