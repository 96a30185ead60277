import type { PairShown } from '../../../preload/contract/labels.ts';

/** Clock and paint callback of the page. */
export interface Screen {
  readonly now: () => number;
  readonly afterPaint: (done: () => void) => void;
}
/** Calls back after the current content has been painted, after the next frame. */
const afterPaint = (done: () => void): void => void requestAnimationFrame(() => setTimeout(done, 0));
export const ownScreen: Screen = { now: () => performance.now(), afterPaint };

/** The pair at the front of the screen: whether it is painted, and which pairs are laid out with it. */
export class Front {
  /** The pair at the front has been painted. */
  isPainted = $state(false);
  /** The pair that was at the front until now; kept until the new one has been painted. */
  private leaving = $state.raw<PairShown | null>(null);
  private readonly screen: Screen;
  /** Number of changes of the pair at the front, and the latest of them that was painted. */
  private turn = 0;
  private paintedTurn = 0;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  /** The pair at the front can be decided. */
  get isReady(): boolean {
    return this.paintedTurn === this.turn;
  }

  /** The pairs to lay out, in an order in which none moves when a pair is decided. */
  staged(queue: readonly PairShown[]): readonly PairShown[] {
    const { leaving, isPainted } = this;
    const shown = queue.slice(0, isPainted ? 2 : 1);
    return leaving && shown.length > 0 ? [leaving, ...shown] : shown;
  }

  /** Another pair comes to the front. */
  leave(pair: PairShown | null): void {
    this.leaving = pair;
    this.isPainted = false;
  }

  /** Waits for the pair at the front to be painted, if there is one. */
  await(pair: PairShown | null, painted: () => void): void {
    const turn = ++this.turn;
    if (!pair) return;
    this.screen.afterPaint(() => {
      this.paintedTurn = turn;
      painted();
      if (turn !== this.turn) return;
      this.leaving = null;
      this.isPainted = true;
    });
  }
}
