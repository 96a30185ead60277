import type { QueueState, QueueWait } from '../../../../preload/contract/queue.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { bytes } from '../../../lib/format.ts';

type Port = WhetstoneClient['queue'];
type Attempt = <T>(action: () => Promise<T>) => Promise<T | undefined>;

/** Why the next run waits, in words. */
export function waitText({ why, needBytes, freeBytes }: QueueWait): string {
  switch (why) {
    case 'memory':
      return `waits: needs ${bytes(needBytes ?? 0)}, ${bytes(freeBytes ?? 0)} free`;
    case 'estimate':
      return 'waits: its memory is being estimated';
    case 'first-step':
      return 'waits for the first step of the running one, to see how much memory is free';
    case 'unknown':
      return 'waits for its turn alone: its memory could not be estimated';
  }
}

/** The queue on the screen. */
export class QueueView {
  state = $state.raw<QueueState | null>(null);
  private readonly port: Port;
  private readonly attempt: Attempt;

  constructor(port: Port, attempt: Attempt) {
    this.port = port;
    this.attempt = attempt;
  }

  /** Follows the queue's state until the returned function is called. */
  follow(follow: (open: (end: (error?: unknown) => void) => () => void) => () => void): () => void {
    return follow((end) =>
      this.port.watch(
        {},
        (state) => {
          this.state = state;
        },
        end,
      ),
    );
  }

  pause = (): Promise<unknown> => this.attempt(() => this.port.pause({}));
  goOn = (): Promise<unknown> => this.attempt(() => this.port.goOn({}));
  move = (id: string, to: number): Promise<unknown> => this.attempt(() => this.port.move({ id, to }));
  stop = (ids: readonly string[]): Promise<unknown> => this.attempt(() => this.port.stop({ ids: [...ids] }));
  setAtOnce = (atOnce: number): Promise<unknown> => this.attempt(() => this.port.setAtOnce({ atOnce }));
}
