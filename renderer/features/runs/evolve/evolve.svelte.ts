import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { BrowsedSample, PromptGroup } from '../../../../preload/contract/samples.ts';

type Client = Pick<WhetstoneClient['samples'], 'page'>;
const PAGE = 500;

/** The prompts of a search in rounds, and the stored attempts at one of them. */
export class EvolveState {
  prompts = $state.raw<readonly PromptGroup[] | null>(null);
  promptId = $state<string | null>(null);
  samples = $state.raw<readonly BrowsedSample[]>([]);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly client: Client;
  private readonly runId: string;

  constructor(client: Client, runId: string) {
    [this.client, this.runId] = [client, runId];
  }

  /** Reads the prompts, and the attempts at the asked one, or at the first. */
  async open(asked?: string): Promise<void> {
    await this.attempt(async () => {
      const { prompts } = await this.client.page(this.asking({ view: 'prompts' }));
      this.prompts = prompts;
      const known = prompts.find(({ promptId }) => promptId === asked) ?? prompts.at(0);
      if (known) await this.choose(known.promptId);
    });
  }

  async choose(promptId: string): Promise<void> {
    this.promptId = promptId;
    await this.attempt(async () => {
      const all: BrowsedSample[] = [];
      for (let more = true; more;) {
        const page = await this.client.page(this.asking({ promptId, offset: all.length }));
        all.push(...page.samples);
        more = page.more && page.samples.length > 0;
      }
      if (this.promptId === promptId) this.samples = all;
    });
  }

  private asking(what: Partial<Parameters<Client['page']>[0]>): Parameters<Client['page']>[0] {
    return { runIds: [this.runId], query: '', limit: PAGE, ...what };
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      this.error = null;
      await work();
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
