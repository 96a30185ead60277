/** One step of the schema. Never edited after a release: a change is the next number. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}
