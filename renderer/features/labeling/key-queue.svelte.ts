/** True if a key can act now, must wait (for a paint, a fetch or a write), or has nothing left to act on. */
export type Readiness = 'now' | 'wait' | 'never';

export interface KeyAction {
  readonly readiness: () => Readiness;
  /** Starts the action. The next key waits until `begun` resolves; a synchronous action returns nothing. */
  readonly begin: () => { readonly begun?: Promise<void>; readonly done?: Promise<void> } | void;
}

interface Waiting extends KeyAction {
  readonly settle: () => void;
}

/**
 * Keys in the order in which they were pressed. Each acts as soon as it can and the keys before it have
 * begun; call `advance` whenever a reason to wait may have ended.
 */
export class KeyQueue {
  /** Number of keys that have not acted yet. */
  waiting = $state(0);
  private keys: readonly Waiting[] = [];
  private isAdvancing = false;
  private isBlocked = false;

  /** Adds a key. Resolves when its action is done, or when it is dropped. */
  add(action: KeyAction): Promise<void> {
    return new Promise((settle) => {
      this.keys = [...this.keys, { ...action, settle }];
      this.waiting = this.keys.length;
      this.advance();
    });
  }

  /** Drops the keys that have not acted yet. */
  clear(): void {
    const dropped = this.keys;
    this.keys = [];
    this.waiting = 0;
    dropped.forEach(({ settle }) => settle());
  }

  /** Lets keys act, first to last, until one must wait. */
  advance(): void {
    if (this.isAdvancing) return;
    this.isAdvancing = true;
    try {
      while (this.step());
    } finally {
      this.isAdvancing = false;
    }
  }

  private step(): boolean {
    const first = this.keys.at(0);
    if (!first || this.isBlocked) return false;
    const readiness = first.readiness();
    if (readiness === 'wait') return false;
    this.keys = this.keys.slice(1);
    this.waiting = this.keys.length;
    const started = readiness === 'now' ? first.begin() : undefined;
    if (started?.begun) this.blockUntil(started.begun);
    void (started?.done ?? started?.begun ?? Promise.resolve()).then(first.settle);
    return true;
  }

  private blockUntil(begun: Promise<void>): void {
    this.isBlocked = true;
    void begun.then(() => {
      this.isBlocked = false;
      this.advance();
    });
  }
}
