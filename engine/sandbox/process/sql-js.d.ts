/** What is used of sql.js, which comes without types. */
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
    /** The first statement of the text; what follows it is not looked at. */
    prepare(sql: string): Statement;
    create_function(name: string, call: (...args: unknown[]) => unknown): unknown;
    close(): void;
  }
  export interface SqlJs {
    readonly Database: new () => Database;
  }
  export default function initSqlJs(options: { readonly wasmBinary: ArrayBuffer }): Promise<SqlJs>;
}
