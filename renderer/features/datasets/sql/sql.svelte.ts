import { SvelteMap } from 'svelte/reactivity';
import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { SqlColumn, SqlResult } from '../../../../preload/contract/sql.ts';

type Client = WhetstoneClient['sql'];

/** Most rows of a result that are fetched. */
export const mostRows = 10_000;
/** Most statements kept of a dataset. */
const mostKept = 20;

/** Keeps the last statements. */
export interface Kept {
  readonly statements: readonly string[];
  keep(statements: readonly string[]): void;
}

/** SQL over the rows of one dataset: the statement, its result, and the statements before. */
export class SqlState {
  text = $state('');
  columns = $state.raw<readonly SqlColumn[] | null>(null);
  busy = $state(false);
  result = $state.raw<SqlResult | null>(null);
  seconds = $state(0);
  error = $state.raw<WhetstoneError | null>(null);
  statements = $state.raw<readonly string[]>([]);
  private readonly client: Client;
  private readonly id: string;
  private readonly keep: Kept['keep'];
  private release: (() => void) | null = null;

  constructor(client: Client, id: string, kept: Kept) {
    [this.client, this.id, this.keep] = [client, id, (statements) => kept.keep(statements)];
    this.statements = kept.statements;
    this.text = kept.statements.at(0) ?? '';
  }

  /** Loads the columns: computed ones may have been added. */
  async load(): Promise<void> {
    try {
      this.columns = await this.client.columns({ id: this.id });
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Runs the statement; the result before stays until the new one is there. */
  run(): void {
    const sql = this.text.trim();
    if (this.busy || sql === '') return;
    [this.busy, this.error] = [true, null];
    this.statements = [sql, ...this.statements.filter((each) => each !== sql)].slice(0, mostKept);
    this.keep(this.statements);
    this.release = this.client.run(
      { id: this.id, sql, limit: mostRows },
      ({ result, seconds }) => {
        [this.result, this.seconds] = [result, seconds];
      },
      (error) => {
        [this.busy, this.release] = [false, null];
        if (error === undefined) return;
        this.error = WhetstoneError.from(error);
        this.result = null;
      },
    );
  }

  cancel(): void {
    const { release } = this;
    [this.busy, this.release] = [false, null];
    release?.();
  }
}

const states = new SvelteMap<string, SqlState>();

/** The state of a dataset, as it was left: statements go on while another tab is shown. */
export function sqlOf(client: Client, id: string, kept: Kept): SqlState {
  const state = states.get(id) ?? new SqlState(client, id, kept);
  states.delete(id);
  states.set(id, state);
  for (const [old, { busy }] of [...states].slice(0, -3)) if (!busy) states.delete(old);
  return state;
}
