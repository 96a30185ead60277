import type { ColumnModel } from '../../preload/contract/columns.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { ago } from './format.ts';
import { allOf } from './pages.ts';

export interface ModelChoice {
  /** `checkpoint:ID` or `model:ID`, as the value of an option. */
  readonly value: string;
  readonly title: string;
  readonly head: 'next-token' | 'reward';
  /** The run that left a checkpoint. */
  readonly runId?: string;
}

/** The models and checkpoints of the workspace, loaded when a form first needs them. */
export class ModelChoices {
  list = $state.raw<readonly ModelChoice[]>([]);
  private readonly client: Pick<WhetstoneClient, 'runs' | 'models'>;

  constructor(client: Pick<WhetstoneClient, 'runs' | 'models'>) {
    this.client = client;
  }

  /** Reads them again. `nameOf`: the name of a run. Throws the errors of the calls. */
  async load(nameOf: (runId: string) => string): Promise<void> {
    const [models, checkpoints] = await Promise.all([
      allOf((page) => this.client.models.list(page)),
      allOf((page) => this.client.runs.checkpoints(page)),
    ]);
    this.list = [
      ...models.map(({ id, name, head }) => ({ value: `model:${id}`, title: name, head })),
      ...[...checkpoints]
        .sort((a, b) => b.createdAt - a.createdAt)
        .map(({ id, runId, step, head, createdAt }) => ({
          value: `checkpoint:${id}`,
          title: `${nameOf(runId)}, step ${step} (${ago(createdAt, Date.now())})`,
          head,
          runId,
        })),
    ];
  }

  of(head: ModelChoice['head']): readonly ModelChoice[] {
    return this.list.filter((each) => each.head === head);
  }
}

/** The model of an option's value; null for none. */
export function chosenModel(value: string): ColumnModel | null {
  const at = value.indexOf(':');
  const kind = value.slice(0, at);
  return kind === 'model' || kind === 'checkpoint' ? { kind, id: value.slice(at + 1) } : null;
}
