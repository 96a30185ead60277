import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { HeadToHead } from '../../../../preload/contract/head-to-head.ts';
import type { LabelSet } from '../../../../preload/contract/labels.ts';
import { count, number, plural } from '../../../lib/format.ts';
import { session } from '../../../lib/session.svelte.ts';

/** A blind comparison and its result so far. */
export interface ShownDuel {
  readonly set: LabelSet;
  readonly table: HeadToHead;
}

/** Blind comparisons of the chosen runs. */
export class Duels {
  shown = $state.raw<readonly ShownDuel[] | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  private turn = 0;

  async load(runIds: readonly string[]): Promise<void> {
    const turn = ++this.turn;
    try {
      const { headToHead } = session.client;
      const sets = await headToHead.list({ runIds: [...runIds] });
      const shown = await Promise.all(
        sets.map(async (set) => ({ set, table: await headToHead.table({ setId: set.id }) })),
      );
      if (turn !== this.turn) return;
      [this.shown, this.error] = [shown, null];
    } catch (error) {
      if (turn === this.turn) this.error = WhetstoneError.from(error);
    }
  }

  /** Makes a comparison; its label set, or null after an error. A second click waits for the first. */
  async create(runIds: readonly string[], pairs: number): Promise<LabelSet | null> {
    if (this.busy) return null;
    this.busy = true;
    try {
      const seed = Math.floor(Math.random() * 2 ** 31);
      return (
        (await session.attempt(() =>
          session.client.headToHead.create({ runIds: [...runIds], pairs, seed }),
        )) ?? null
      );
    } finally {
      this.busy = false;
    }
  }
}

/** State of a comparison, in a sentence. */
export function conclusionOf({ runs, duels, decided, pairs, more }: HeadToHead): string {
  const nameOf = (id: string) => runs.find((run) => run.id === id)?.name ?? id;
  if (decided === 0) return `Nothing is decided yet, of ${plural(pairs, 'pair')}.`;
  const sure = duels.filter(({ interval: [low, high] }) => low > 0.5 || high < 0.5);
  const found = sure.map(({ a, b, rate, interval: [low, high] }) => {
    const [winner, loser] = rate > 0.5 ? [a, b] : [b, a];
    const [share, from, to] = rate > 0.5 ? [rate, low, high] : [1 - rate, 1 - high, 1 - low];
    return `${nameOf(winner)} wins ${number(share)} [${number(from)}, ${number(to)}] against ${nameOf(loser)}.`;
  });
  const open =
    sure.length === duels.length
      ? []
      : [
          more === null
            ? 'The others are equal so far.'
            : `About ${count(more)} more decisions would tell the closest pair apart.`,
        ];
  const undecided = found.length === 0 ? ['No two runs can be told apart yet.'] : [];
  return [...undecided, ...found, ...open].join(' ');
}
