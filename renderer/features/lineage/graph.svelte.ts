import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { GraphKind, GraphNode, LineageGraph } from '../../../preload/contract/lineage.ts';
import { Task } from '../../lib/task.svelte.ts';
import { layout } from './layout.ts';
import { moved, type MoveKey } from './moves.ts';

/** The extent of a graph: its centre, and how far around it. */
export interface Asked {
  readonly kind: GraphKind;
  readonly id: string;
  readonly steps: number;
  readonly each: number;
}

/** The graph of lineage around a thing, and the thing that the keyboard is at. */
export class GraphState {
  graph = $state.raw<LineageGraph | null>(null);
  /** Position in the graph's nodes. */
  at = $state(0);
  readonly task = new Task();
  drawing = $derived(this.graph && layout(this.graph.nodes.length, this.graph.edges));
  current = $derived<GraphNode | null>(this.graph?.nodes[this.at] ?? null);
  private readonly client: Pick<WhetstoneClient, 'lineage'>;
  private asked = '';

  constructor(client: Pick<WhetstoneClient, 'lineage'>) {
    this.client = client;
  }

  /** Reads the graph, unless it is shown; a late answer to an earlier question is dropped. */
  async show(asked: Asked): Promise<void> {
    const text = JSON.stringify(asked);
    if (text === this.asked) return;
    this.asked = text;
    await this.task.run(async () => {
      try {
        const graph = await this.client.lineage.graph(asked);
        if (text !== this.asked) return;
        this.at = 0;
        this.graph = graph;
      } catch (error) {
        if (text === this.asked) {
          this.asked = '';
          this.graph = null;
        }
        throw error;
      }
    });
  }

  /** Moves to a neighbour; returns whether there is one. */
  move(key: MoveKey): boolean {
    if (!this.graph || !this.drawing) return false;
    const next = moved(key, this.at, { nodes: this.drawing.nodes, edges: this.graph.edges });
    if (next === null) return false;
    this.at = next;
    return true;
  }

  /** Names of the neighbours of a thing that are shown. */
  namesOf(at: number, way: 'from' | 'usedBy'): string[] {
    const { nodes, edges } = this.graph ?? { nodes: [], edges: [] };
    return edges.flatMap(({ from, to }) =>
      way === 'from' ? (to === at ? [nodes[from].name] : []) : from === at ? [nodes[to].name] : [],
    );
  }
}
