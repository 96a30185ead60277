/** Types of the used part of sql.js, which comes without types. */
declare module 'sql.js' {
  export interface Statement {
    step(): boolean;
    get(): (number | string | Uint8Array | null)[];
    getColumnNames(): string[];
    getSQL(): string;
    free(): boolean;
  }
  export interface Database {
    exec(sql: string): unknown;
    /** Prepares the first statement of the text and ignores the rest. */
    prepare(sql: string): Statement;
    create_function(name: string, call: (...args: unknown[]) => unknown): unknown;
    close(): void;
  }
  export interface SqlJs {
    readonly Database: new () => Database;
  }
  export default function initSqlJs(options: { readonly wasmBinary: ArrayBuffer }): Promise<SqlJs>;
}
