/** What tabs of one origin say to one another about the key to the services. */
type Said = { readonly type: 'ask' } | { readonly type: 'key'; readonly key: string };

/**
 * Hands the key to the services on to other tabs of this browser: one that was opened from a link has none of
 * its own, since a tab that has no opener shares no session storage. It goes over a channel that only pages
 * of the same origin (scheme, name and port) hear, and is never in an address nor on disk. Only a tab whose
 * line is open, and whose key is thus good, gives it.
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

  /** Gives this key to whoever asks, and to those who wait for one; null: to nobody any longer. */
  share(key: string | null): void {
    this.shared = key;
    if (key === null) return;
    this.wanted = false;
    this.say({ type: 'key', key });
  }

  /** Asks the other tabs now, and takes what one says later, too. */
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
