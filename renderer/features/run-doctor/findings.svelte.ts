import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { RunExamination, RunRule } from '../../../preload/contract/run-doctor.ts';
import type { Sample } from '../../../preload/contract/runs.ts';
import type { RunFinding } from '../../../engine/schema/run-finding.ts';

type Client = Pick<WhetstoneClient, 'runDoctor' | 'runs'>;
/** Follows a feed across broken connections, and reports its error. */
type Follow = (open: (end: (error?: unknown) => void) => () => void) => () => void;

/** Answers shown behind a finding. */
const answersShown = 5;

/** The findings of one run on the screen, as examinations come in. */
export class FindingsState {
  examination = $state.raw<RunExamination | null>(null);
  rules = $state.raw<readonly RunRule[]>([]);
  /** Answers behind findings, by rule, once someone asked for them. */
  answers = $state.raw<Readonly<Record<string, readonly Sample[]>>>({});
  private readonly runId: string;
  private readonly client: Client;
  private readonly onError: (error: unknown) => void;
  open = $derived.by<readonly RunFinding[]>(() =>
    (this.examination?.findings ?? []).filter(({ rule }) => !this.isDismissed(rule)),
  );
  dismissed = $derived.by<readonly RunFinding[]>(() =>
    (this.examination?.findings ?? []).filter(({ rule }) => this.isDismissed(rule)),
  );

  constructor(runId: string, client: Client, onError: (error: unknown) => void) {
    this.runId = runId;
    this.client = client;
    this.onError = onError;
  }

  private isDismissed(rule: string): boolean {
    return this.examination?.dismissed.includes(rule) ?? false;
  }

  /** Keeps the findings up to date until the returned function is called. */
  follow(follow: Follow): () => void {
    this.client.runDoctor.rules({}).then((rules) => {
      this.rules = rules;
    }, this.onError);
    return follow((end) =>
      this.client.runDoctor.watch(
        { id: this.runId },
        (examination) => {
          this.examination = examination;
        },
        end,
      ),
    );
  }

  /** Hides a finding, or shows it again. */
  async dismiss(rule: string, dismissed: boolean): Promise<void> {
    try {
      this.examination = await this.client.runDoctor.dismiss({ id: this.runId, rule, dismissed });
    } catch (error) {
      this.onError(error);
    }
  }

  /** Reads some of the answers behind a finding. */
  async readAnswers({ rule, answers }: RunFinding): Promise<void> {
    if (answers === null) return;
    try {
      const { samples } = await this.client.runs.samples({
        runIds: [this.runId],
        ...answers,
        limit: answersShown,
      });
      this.answers = { ...this.answers, [rule]: samples };
    } catch (error) {
      this.onError(error);
    }
  }
}
