import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { JudgeChanges, JudgeStatus, OrderFacts } from '../../../../preload/contract/judge.ts';
import type { Model } from '../../../../preload/contract/models.ts';
import type { Checkpoint } from '../../../../preload/contract/runs.ts';
import { allOf } from '../../../lib/pages.ts';
import { session } from '../../../lib/session.svelte.ts';

/** The judge of a set on the labeling screen: follows it, and changes its settings. */
export class JudgeView {
  status = $state.raw<JudgeStatus | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  orders = $state.raw<readonly OrderFacts[]>([]);
  models = $state.raw<readonly Model[]>([]);
  checkpoints = $state.raw<readonly Checkpoint[]>([]);
  private readonly setId: string;
  private readonly onorder: () => void;
  private orderedAt: number | null | undefined;

  /** `onorder` is called whenever the queue was ordered anew. */
  constructor(setId: string, onorder: () => void) {
    this.setId = setId;
    this.onorder = onorder;
  }

  get orderTitle(): string {
    const id = this.status?.settings.order;
    return this.orders.find((order) => order.id === id)?.title ?? id ?? '';
  }

  /** Keeps the judge up with the labels until the returned function is called. */
  follow(): () => void {
    void session.attempt(async () => {
      this.orders = await session.client.judge.orders({});
    });
    return session.connection.follow(
      (end) => session.client.judge.live({ setId: this.setId }, (status) => this.take(status), end),
      (error) => {
        this.error = error;
      },
    );
  }

  /** Loads what the settings can be chosen from. */
  async loadChoices(): Promise<void> {
    await session.attempt(async () => {
      [this.models, this.checkpoints] = await Promise.all([
        allOf((page) => session.client.models.list(page)),
        allOf((page) => session.client.runs.checkpoints(page)),
      ]);
    });
  }

  async choose(settings: JudgeChanges): Promise<void> {
    try {
      this.take(await session.client.judge.choose({ setId: this.setId, settings }));
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Fits now; ends with its result or error. */
  fit(): Promise<void> {
    this.error = null;
    return new Promise((resolve) => {
      session.client.judge.fit(
        { setId: this.setId },
        (status) => this.take(status),
        (error) => {
          if (error) this.error = WhetstoneError.from(error);
          resolve();
        },
      );
    });
  }

  async stop(): Promise<void> {
    await session.attempt(() => session.client.judge.cancel({ setId: this.setId }));
  }

  private take(status: JudgeStatus): void {
    const isFirst = this.orderedAt === undefined;
    const isOther = status.orderedAt !== this.orderedAt;
    this.status = status;
    this.orderedAt = status.orderedAt;
    if (isOther && !isFirst) this.onorder();
  }
}
