/** Agents with tables, in control worlds with countable states: run, saved, compared with the optimum. */
export { agents as tabularAgents } from './agents/index.ts';
export type { AgentKind } from './kernel/agent.ts';
export { TabularRun, type SavedTabular, type TabularResult, type TabularSpec } from './run.ts';
export {
  tabularSummary,
  tabularWorlds,
  type Averaged,
  type TabularSummary,
  type TabularWorld,
} from './summary.ts';
