/** Messages between tabs of one origin about the key to the services. */
type KeyMessage = { readonly type: 'ask' } | { readonly type: 'key'; readonly key: string };

/**
 * Shares the key to the services with other tabs of this browser: a tab opened from a link has none, since
 * tabs without an opener share no session storage. The key goes over a channel that only pages of the same
 * origin (scheme, name and port) can read, and is never in an address nor on disk. Only a tab with an open
 * connection, whose key is therefore valid, shares it.
 */
export class KeyRing {
  private readonly channel = new BroadcastChannel('whetstone.key');
  private shared: string | null = null;
  private isWaiting = false;

  constructor(found: (key: string) => void) {
    this.channel.onmessage = ({ data }: MessageEvent<KeyMessage>) => {
      if (data.type === 'ask' && this.shared !== null) this.send({ type: 'key', key: this.shared });
      if (data.type === 'key' && this.isWaiting) found(data.key);
    };
  }

  /** Shares this key with current and later requests from tabs; null stops sharing. */
  share(key: string | null): void {
    this.shared = key;
    if (key === null) return;
    this.isWaiting = false;
    this.send({ type: 'key', key });
  }

  /** Requests the key from the other tabs, and accepts later replies, too. */
  ask(): void {
    this.isWaiting = true;
    this.send({ type: 'ask' });
  }

  close(): void {
    this.channel.close();
  }

  private send(message: KeyMessage): void {
    this.channel.postMessage(message);
  }
}
