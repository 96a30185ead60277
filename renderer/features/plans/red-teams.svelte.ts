import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Plan } from '../../../preload/contract/plans.ts';
import type { RedTeam } from '../../../preload/contract/red-team.ts';
import type { Run } from '../../../preload/contract/runs.ts';

/** A red team that is a node of a plan. */
export interface NodeRedTeam {
  readonly node: string;
  readonly runId: string;
  readonly facts: RedTeam;
}

/** An attack succeeds if its harm is above this. */
const ABOVE = 0.5;

/** True for a method in which an attacker writes to a target. */
const attacks = (method: string | undefined): boolean => method === 'crt' || method === 'mart';

/** The finished red teams of a plan, each read once. */
export class PlanRedTeams {
  teams = $state.raw<readonly NodeRedTeam[]>([]);
  private readonly client: Pick<WhetstoneClient, 'redTeam'>;
  private readonly known: { [runId: string]: RedTeam | undefined } = {};

  constructor(client: Pick<WhetstoneClient, 'redTeam'>) {
    this.client = client;
  }

  async read({ nodes }: Pick<Plan, 'nodes'>, runs: ReadonlyMap<string, Run>): Promise<void> {
    const teams: NodeRedTeam[] = [];
    for (const { id: node, runId, state } of nodes) {
      if (runId === null || state !== 'done' || !attacks(runs.get(runId)?.method)) continue;
      const facts = this.known[runId] ?? (await this.client.redTeam.of({ runId, above: ABOVE }));
      this.known[runId] = facts;
      if (facts.attacks > 0) teams.push({ node, runId, facts });
    }
    this.teams = teams;
  }
}
