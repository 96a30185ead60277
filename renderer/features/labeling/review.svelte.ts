import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Choice, LabelSet, ReviewFilter, Reviewed } from '../../../preload/contract/labels.ts';

export type ReviewPort = Pick<WhetstoneClient['labels'], 'review' | 'set' | 'labelers'>;

const PAGE = 50;

export const aboutNames: Readonly<Record<NonNullable<ReviewFilter['about']>, string>> = {
  disputed: 'disputed',
  shared: 'decided by several',
  adjudicated: 'adjudicated',
  overruled: 'not the verdict that counts',
  repeated: 'repeated',
  changed: 'repeated, decided otherwise',
  gold: 'gold',
  'gold-missed': 'other than gold',
};
const choices: readonly Choice[] = ['left', 'right', 'tie', 'both-bad', 'skip', 'answered'];

/** The filter that an address asks for; unknown values are left out. */
export function filterFrom(query: Readonly<Record<string, string>>): ReviewFilter {
  const about = (Object.keys(aboutNames) as NonNullable<ReviewFilter['about']>[]).find(
    (each) => each === query.about,
  );
  const choice = choices.find((each) => each === query.choice);
  return {
    ...(about && { about }),
    ...(choice && { choice }),
    ...(query.labeler && { labeler: query.labeler }),
    ...(query.with && { with: query.with }),
  };
}

/** The decisions of a set that match a filter, newest first, page by page. */
export class Review {
  set = $state.raw<LabelSet | null>(null);
  labelers = $state.raw<readonly string[]>([]);
  /** Decisions that are hidden, since their items still want the decision of the labeler who reads. */
  hidden = $state(0);
  /** True if a reader who does not label this set asked for all decisions. */
  showsAll = $state(false);
  /** A reader who has labeled items of the set is one of its labelers, and stays independent of the others. */
  readonly canShowAll = $derived.by(() => !this.labelers.includes(this.reader));
  filter = $state.raw<ReviewFilter>({});
  decisions = $state.raw<readonly Reviewed[]>([]);
  total = $state(0);
  loading = $state(true);
  error = $state.raw<WhetstoneError | null>(null);
  more = $derived(this.decisions.length < this.total);
  private readonly setId: string;
  private readonly reader: string;
  private readonly port: ReviewPort;
  /** Number of the newest request; answers to older ones are discarded. */
  private request = 0;

  /** `reader`: the labeler of this workbench. */
  constructor(setId: string, port: ReviewPort, filter: ReviewFilter = {}, reader = 'me') {
    this.setId = setId;
    this.reader = reader;
    this.filter = filter;
    this.port = port;
  }

  async start(): Promise<void> {
    await this.attempt(async () => {
      this.set = await this.port.set({ id: this.setId });
      this.labelers = (await this.port.labelers({ setId: this.setId })).map(({ labeler }) => labeler);
    });
    await this.load();
  }

  /** Replaces one part of the filter; an empty value removes it. */
  async choose<K extends keyof ReviewFilter>(
    name: K,
    value: ReviewFilter[K] | '' | undefined,
  ): Promise<void> {
    const rest = Object.fromEntries(Object.entries(this.filter).filter(([each]) => each !== name));
    this.filter = value === '' || value === undefined ? rest : { ...rest, [name]: value };
    await this.load();
  }

  async load(): Promise<void> {
    const request = ++this.request;
    this.loading = true;
    await this.attempt(async () => {
      const page = await this.port.review({ ...this.asked, limit: PAGE });
      if (request !== this.request) return;
      this.decisions = page.decisions;
      this.total = page.total;
      this.hidden = page.hidden;
    });
    if (request === this.request) this.loading = false;
  }

  async loadMore(): Promise<void> {
    const last = this.decisions.at(-1);
    if (!last || this.loading) return;
    const request = ++this.request;
    this.loading = true;
    await this.attempt(async () => {
      const page = await this.port.review({
        ...this.asked,
        before: last.sequence,
        limit: PAGE,
      });
      if (request === this.request) this.decisions = [...this.decisions, ...page.decisions];
    });
    if (request === this.request) this.loading = false;
  }

  /** Shows the decisions that are hidden from a labeler, to a reader who is none of this set. */
  async showAll(): Promise<void> {
    if (!this.canShowAll) return;
    this.showsAll = true;
    await this.load();
  }

  private get asked() {
    return { setId: this.setId, filter: this.filter, ...(!this.showsAll && { as: this.reader }) };
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
