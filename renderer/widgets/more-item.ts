/** An entry of a menu that leads to an address; without one it is disabled. */
export interface MoreItem {
  readonly title: string;
  readonly address: string | null;
  /** Its effect, or why it is disabled. */
  readonly hint?: string;
}
