export { gridValues } from './axes.ts';
export { decide, foldSeeds, ranking, type Folded, type Scored } from './decide.ts';
export { stateObstacles } from './fork.ts';
export { planOf, runsOf, type Plan, type PlannedRun } from './plan.ts';
export { halvingRungs, type Rung } from './strategies.ts';
