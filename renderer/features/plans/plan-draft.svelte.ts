import { WhetstoneError, type ErrorFacts } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { PlanPreview } from '../../../preload/contract/plans.ts';
import { Paced } from '../../lib/paced.ts';

export type DraftCalls = Pick<WhetstoneClient['plans'], 'preview' | 'launch'>;

/** A plan that is not launched yet: checked after each change, with its nodes or what is wrong with it. */
export abstract class PlanDraft {
  isBusy = $state(false);
  preview = $state.raw<PlanPreview | null>(null);
  error = $state.raw<ErrorFacts | null>(null);
  private readonly draftCalls: DraftCalls;
  private readonly checking = new Paced(() => this.check());
  /** Counts changes: what was asked before the newest one is out of date. */
  private changes = 0;

  constructor(calls: DraftCalls) {
    this.draftCalls = calls;
  }

  /** The plan; undefined while there is none. Throws what is wrong with it. */
  abstract file(): unknown;

  changed(): void {
    this.changes += 1;
    this.preview = null;
    this.checking.ask();
  }

  stop(): void {
    this.checking.stop();
  }

  /** Launches it, or continues the plan of the same file; the id of the plan, or null if it is refused or busy. */
  async launch(): Promise<string | null> {
    if (this.isBusy) return null;
    this.isBusy = true;
    try {
      const plan = this.file();
      await this.ready();
      return (await this.draftCalls.launch({ plan })).id;
    } catch (error) {
      this.error = factsOf(error);
      return null;
    } finally {
      this.isBusy = false;
    }
  }

  /** Checks that take too long for each change: they run before a launch. Throws the error. */
  protected ready(): Promise<void> {
    return Promise.resolve();
  }

  private async check(): Promise<void> {
    const { changes } = this;
    try {
      const plan = this.file();
      const preview = plan === undefined ? null : await this.draftCalls.preview({ plan });
      if (changes === this.changes) [this.preview, this.error] = [preview, null];
    } catch (error) {
      if (changes === this.changes) this.error = factsOf(error);
    }
  }
}

const factsOf = (error: unknown): ErrorFacts =>
  error instanceof SyntaxError
    ? { kind: 'invalid-input', message: `The text is not JSON: ${error.message}` }
    : WhetstoneError.from(error).facts;
