import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { OptionChanges } from '../../../engine/schema/labeling/index.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { LabelSet } from '../../../preload/contract/labels.ts';
import type { GoldItem, QualityReport } from '../../../preload/contract/quality.ts';

export interface QualityPort {
  readonly labels: Pick<WhetstoneClient['labels'], 'set' | 'setOptions'>;
  readonly quality: WhetstoneClient['quality'];
}

/** The quality of a set's labels, its gold items, and the options that measure and use it. */
export class Quality {
  set = $state.raw<LabelSet | null>(null);
  report = $state.raw<QualityReport | null>(null);
  gold = $state.raw<readonly GoldItem[]>([]);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  /** The result of the last action, for screen readers too. */
  said = $state('');
  private readonly setId: string;
  private readonly port: QualityPort;
  private works = false;

  constructor(setId: string, port: QualityPort) {
    this.setId = setId;
    this.port = port;
  }

  load(): Promise<void> {
    return this.attempt(() => this.read());
  }

  setOptions(options: OptionChanges): Promise<void> {
    return this.attempt(async () => {
      await this.port.labels.setOptions({ id: this.setId, options });
      await this.read();
      this.said = 'Options saved.';
    });
  }

  /** Marks each pair of a right and a wrong answer as gold. */
  goldFromMarks(): Promise<void> {
    return this.attempt(async () => {
      const before = this.report?.goldItems ?? 0;
      const { gold } = await this.port.quality.goldFromMarks({ setId: this.setId });
      await this.read();
      this.said =
        gold > before
          ? `${gold - before} pairs of a right and a wrong answer are gold now.`
          : 'No further pair has one right and one wrong answer.';
    });
  }

  unmarkGold(pairIds?: readonly string[]): Promise<void> {
    return this.attempt(async () => {
      await this.port.quality.unmarkGold({ setId: this.setId, ...(pairIds && { pairIds: [...pairIds] }) });
      await this.read();
      this.said = 'Marks of gold removed; the labels stay.';
    });
  }

  private async read(): Promise<void> {
    const setId = this.setId;
    const [set, report, gold] = await Promise.all([
      this.port.labels.set({ id: setId }),
      this.port.quality.report({ setId }),
      this.port.quality.gold({ setId }),
    ]);
    [this.set, this.report, this.gold] = [set, report, gold];
  }

  private async attempt(action: () => Promise<void>): Promise<void> {
    // not `busy`: an effect that loads would depend on it
    if (this.works) return;
    this.works = this.busy = true;
    try {
      await action();
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.works = this.busy = false;
    }
  }
}
