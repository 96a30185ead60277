/** Messages between tabs of one origin about the key to the services. */
type Said = { readonly type: 'ask' } | { readonly type: 'key'; readonly key: string };

/**
 * Shares the key to the services with other tabs of this browser: a tab opened from a link has none, since
 * tabs without an opener share no session storage. The key goes over a channel that only pages of the same
 * origin (scheme, name and port) can read, and is never in an address nor on disk. Only a tab with an open
 * connection, whose key is therefore valid, shares it.
 */
export class KeyRing {
  private readonly channel = new BroadcastChannel('whetstone.key');
  private shared: string | null = null;
  private wanted = false;

  constructor(found: (key: string) => void) {
    this.channel.onmessage = ({ data }: MessageEvent<Said>) => {
      if (data.type === 'ask' && this.shared !== null) this.say({ type: 'key', key: this.shared });
      if (data.type === 'key' && this.wanted) found(data.key);
    };
  }

  /** Shares this key with current and later requests from tabs; null stops sharing. */
  share(key: string | null): void {
    this.shared = key;
    if (key === null) return;
    this.wanted = false;
    this.say({ type: 'key', key });
  }

  /** Requests the key from the other tabs, and accepts later replies, too. */
  ask(): void {
    this.wanted = true;
    this.say({ type: 'ask' });
  }

  close(): void {
    this.channel.close();
  }

  private say(said: Said): void {
    this.channel.postMessage(said);
  }
}
