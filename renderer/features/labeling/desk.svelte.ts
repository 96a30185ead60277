import { defaultOptions } from '../../../preload/wire/label-options.ts';
import type { ModeId, SetOptions } from '../../../engine/schema/labeling/index.ts';
import type { Choice, LabelSet } from '../../../preload/contract/labels.ts';
import { tick } from 'svelte';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { session } from '../../lib/session.svelte.ts';
import { settings } from '../../lib/settings.svelte.ts';
import { isComplete, rankNext, ranksOf, rateNext, ratingsOf } from './answering.ts';
import { keysFrom, reasonKeys, shifted, type ActionId } from './keys.ts';
import { JudgeView } from './judge/judge.svelte.ts';
import { Labeling, type LabelPort } from './labeling.svelte.ts';
import { modeKeys } from './mode-keys.ts';
import { relabelingPort } from './relabeling.ts';

export type Panel = 'keys' | 'labelers' | 'judge' | 'options' | null;

/** Name of the labeler of this workbench. */
export const currentLabeler = (): string => settings.get('label.labeler', 'me');

/** Moves the focus to the field of the item on the screen. */
const focusRewrite = async (): Promise<void> => {
  await tick();
  document.querySelector<HTMLElement>('.item.front [aria-label="Rewritten answer"]')?.focus();
};

/** Labeling on the disputed items, by adjudications instead of labels. */
const adjudicating = (): LabelPort => {
  const { adjudication, labels } = session.client;
  const { queue, decide, undo, redo, recent, progress, pair } = adjudication;
  return { queue, decide, undo, redo, recent, progress, pair, reference: labels.reference };
};

/** New items, decisions with which the judge disagrees, or items on which labelers disagree. */
export type DeskTask = 'label' | 'relabel' | 'adjudicate';
const portOf = (task: DeskTask): LabelPort => {
  if (task === 'relabel') return relabelingPort(session.client);
  return task === 'adjudicate' ? adjudicating() : session.client.labels;
};

/** The labeling screen: what is shown around the items, and what each key does. */
export class Desk {
  readonly labeling: Labeling;
  readonly judge: JudgeView;
  set = $state.raw<LabelSet | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  showDifferences = $state(false);
  panel = $state.raw<Panel>(null);
  labelers = $state.raw<readonly { labeler: string; labeled: number }[]>([]);
  keys = $derived(keysFrom(settings.get<unknown>('label.keys', null)));
  hasOwnKeys = $derived(settings.get<unknown>('label.keys', null) !== null);
  rendered = $derived(settings.get('label.rendered', true));
  together = $derived(settings.get('label.together', true));
  showGuidelines = $derived(settings.get('label.guidelines', false));
  private readonly setId: string;

  constructor(setId: string, labeler: string, task: DeskTask = 'label') {
    this.setId = setId;
    this.labeling = new Labeling(setId, portOf(task), undefined, labeler);
    this.judge = new JudgeView(setId, () => void this.labeling.reorder());
  }

  // getters, not $derived: a set that arrives after the screen was left still reads them
  get options(): SetOptions {
    return this.set?.options ?? defaultOptions;
  }

  get mode(): ModeId {
    return this.set?.mode ?? 'pair';
  }

  /**
   * Loads the options before the first item, because they determine what of it may be shown. `open`: the item
   * to show first.
   */
  async start(open?: string): Promise<void> {
    try {
      this.set = await session.client.labels.set({ id: this.setId });
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
      return;
    }
    this.labeling.lengthBlind = this.mode === 'pair' && this.options.lengthBlind;
    await this.labeling.start();
    if (open) await this.labeling.reopen({ pairId: open });
  }

  async setOptions(options: Partial<SetOptions>): Promise<void> {
    await session.attempt(async () => {
      this.set = await session.client.labels.setOptions({ id: this.setId, options });
    });
  }

  /** Applies changed options to the items on the screen. */
  apply(set: LabelSet): void {
    const { options } = this;
    this.set = set;
    this.labeling.lengthBlind = this.mode === 'pair' && this.options.lengthBlind;
    if (this.mode === 'rating' && JSON.stringify(options) !== JSON.stringify(this.options)) this.clearValue();
    if (options.overlap !== this.options.overlap) void this.labeling.fetchAgain();
  }

  toggle(panel: Exclude<Panel, null>): void {
    this.panel = this.panel === panel ? null : panel;
    if (this.panel === 'labelers')
      void session.attempt(async () => {
        this.labelers = await session.client.labels.labelers({ setId: this.setId });
      });
  }

  chooseLabeler(labeler: string): void {
    settings.set('label.labeler', labeler);
  }

  changeKey(action: ActionId, key: string): void {
    settings.set('label.keys', { ...this.keys, [action]: [key] });
  }

  resetKeys(): void {
    settings.set('label.keys', null);
  }

  /** Runs an action, after the keys that still wait. */
  run(action: ActionId): void {
    const { labeling } = this;
    switch (action) {
      case 'undo':
        return void labeling.undo();
      case 'redo':
        return void labeling.redo();
      case 'reference':
        return void labeling.reveal();
      case 'flag':
        return labeling.annotate((draft) => draft.nextFlag(this.options.flags));
      case 'differences':
      case 'raw':
      case 'together':
      case 'critique':
      case 'guidelines':
      case 'labeler':
      case 'judge':
      case 'options':
        return labeling.inOrder(() => this.show(action));
      default:
        return void labeling.press(action);
    }
  }

  private show(action: ActionId): void {
    if (action === 'differences') this.showDifferences = !this.showDifferences;
    if (action === 'raw') settings.set('label.rendered', !this.rendered);
    if (action === 'together') settings.set('label.together', !this.together);
    if (action === 'guidelines') settings.set('label.guidelines', !this.showGuidelines);
    if (action === 'critique') this.labeling.openCritique();
    if (action === 'labeler') this.toggle('labelers');
    if (action === 'judge' && this.mode === 'pair') this.toggle('judge');
    if (action === 'options') this.toggle('options');
  }

  /** A number key, or a click on a number: a rank or a rating. `tied`: the rank of the answer before. */
  number(number: number, tied = false): void {
    const { mode, options } = this;
    void this.labeling.answer((before, { answers: { length: count } }) => {
      const value =
        mode === 'ranking'
          ? rankNext(ranksOf(before, count), number - 1, tied)
          : rateNext(ratingsOf(before), number, options);
      return { value, complete: isComplete(mode, value, count, options) };
    });
  }

  /** Prefers an edited answer. */
  rewrite(text: string): void {
    void this.labeling.answer(() => ({ value: { text }, complete: true }));
  }

  /** Actions by key, for `bindKeys`. */
  bindings(): Readonly<Record<string, () => void>> {
    return this.mode === 'pair' ? this.pairBindings() : this.valueBindings(this.mode);
  }

  private valueBindings(mode: ModeId): Readonly<Record<string, () => void>> {
    const sided: readonly string[] = ['left', 'right', 'tie', 'both-bad', 'differences', 'together'];
    const plain = Object.entries(this.keys)
      .filter(([action]) => !sided.includes(action))
      .flatMap(([action, keys]) => keys.map((key) => [key, () => this.run(action as ActionId)] as const));
    const digits = Array.from({ length: 9 }, (_none, at) => at + 1).flatMap((digit) => [
      [`${digit}`, () => this.number(digit)] as const,
      [`Shift+Digit${digit}`, () => this.number(digit, true)] as const,
    ]);
    const edit = ['e', () => this.labeling.whenShown(() => void focusRewrite())] as const;
    const clear = ['Backspace', () => this.clearValue()] as const;
    const own = mode === 'rewrite' ? [edit] : [...digits, clear];
    const ofMode = Object.entries(modeKeys(this) ?? {});
    return Object.fromEntries([...plain, ...own, ...ofMode, ['Escape', () => this.labeling.drop()]]);
  }

  private clearValue(): void {
    void this.labeling.answer(() => ({ value: undefined, complete: false }));
  }

  private pairBindings(): Readonly<Record<string, () => void>> {
    const plain = Object.entries(this.keys).flatMap(([action, keys]) =>
      keys.map((key) => [key, () => this.run(action as ActionId)] as const),
    );
    const strong = (['left', 'right'] satisfies Choice[]).flatMap((choice) =>
      this.keys[choice].map(
        (key) =>
          [
            shifted(key),
            () => void this.labeling.press(choice, this.options.strength ? 3 : undefined),
          ] as const,
      ),
    );
    const reasons = this.options.reasons
      .slice(0, reasonKeys.length)
      .map(
        (reason, at) =>
          [reasonKeys[at], () => this.labeling.annotate((draft) => draft.toggleReason(reason))] as const,
      );
    return Object.fromEntries([...plain, ...strong, ...reasons, ['Escape', () => this.labeling.drop()]]);
  }

  /** True if a key decides, so that its repetitions are mentioned. */
  decides(key: string): boolean {
    const { left, right, tie, skip, 'both-bad': bothBad } = this.keys;
    return [left, right, tie, skip, bothBad].flat().includes(key);
  }
}
