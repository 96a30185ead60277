import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type {
  JudgedTranscript,
  TranscriptKind,
  VerdictStage,
} from '../../../../preload/contract/verdicts.ts';

type Client = WhetstoneClient['verdicts'];
type Found = NonNullable<Awaited<ReturnType<Client['ofRun']>>>;

/** Answers shown at once, and more with each press. */
const FIRST = 6;

/** The verdicts of a run, and judged answers of the chosen stage: the last one until another is chosen. */
export class VerdictsState {
  found = $state.raw<Found | null>(null);
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  /** Matrices of whole answers, or of their lines. */
  unit = $state<'answers' | 'lines'>('answers');
  kind = $state<TranscriptKind>('all');
  shown = $state(FIRST);
  total = $state(0);
  transcripts = $state.raw<readonly JudgedTranscript[]>([]);
  private chosen = $state<number | null>(null);
  private turn = 0;
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  stage = $derived.by<VerdictStage | null>(() => {
    const stages = this.found?.stages ?? [];
    return stages.find(({ from }) => from === this.chosen) ?? stages.at(-1) ?? null;
  });

  choose(stage: VerdictStage): void {
    this.chosen = stage.from;
    this.shown = FIRST;
  }

  more(): void {
    this.shown = Math.min(100, this.shown * 3);
  }

  async load(runId: string): Promise<void> {
    await this.attempt(async () => {
      this.found = await this.client.ofRun({ runId });
      this.loaded = true;
    });
  }

  /** Reads the answers of a stage and kind; a reply that is overtaken by another choice is dropped. */
  async read(runId: string, { from, to }: Pick<VerdictStage, 'from' | 'to'>): Promise<void> {
    const turn = ++this.turn;
    await this.attempt(async () => {
      const { kind, shown: limit } = this;
      const { total, transcripts } = await this.client.transcripts({ runId, from, to, kind, limit });
      if (turn === this.turn) [this.total, this.transcripts] = [total, transcripts];
    });
  }

  private async attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
