import { defaultOptions } from '../../../preload/wire/label-options.ts';
import type { ModeId, SetOptions } from '../../../engine/schema/labeling/index.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { LabelSet } from '../../../preload/contract/labels.ts';
import { plural } from '../../lib/format.ts';
import { NumberEntry } from '../../lib/number-entry.svelte.ts';
import { Task } from '../../lib/task.svelte.ts';
import { listProblem, namesIn } from './name-list.ts';

export type OptionsPort = Pick<WhetstoneClient['labels'], 'setOptions' | 'optionUsage'>;
type Usage = Awaited<ReturnType<OptionsPort['optionUsage']>>;
type ListName = 'reasons' | 'flags' | 'attributes' | 'spanLabels';

/** A list of names in the form. `modes`: those that use it; all without it. */
interface ListField {
  readonly name: ListName;
  readonly title: string;
  readonly least: number;
  readonly most: number;
  readonly modes?: readonly ModeId[];
}

const lists: readonly ListField[] = [
  { name: 'reasons', title: 'Reasons', least: 0, most: 7 },
  { name: 'flags', title: 'Flags', least: 0, most: 4 },
  { name: 'attributes', title: 'Attributes', least: 1, most: 8, modes: ['rating'] },
  { name: 'spanLabels', title: 'Labels of spans', least: 1, most: 9, modes: ['spans'] },
];

/** The options of a set while they are changed. */
export class OptionsForm {
  readonly mode: ModeId;
  strength = $state(false);
  lengthBlind = $state(false);
  guidelines = $state('');
  names = $state<Record<ListName, string>>({ reasons: '', flags: '', attributes: '', spanLabels: '' });
  overlap = $state.raw(new NumberEntry(1, { integer: true, low: 1, high: 20 }));
  scale = $state.raw(new NumberEntry(5, { integer: true, low: 2, high: 9 }));
  usage = $state.raw<Usage | null>(null);
  /** True if the last change was saved, and none was made since. */
  saved = $state(false);
  readonly task = new Task();
  readonly fields: readonly ListField[];
  private before = $state.raw<SetOptions>(defaultOptions);
  private readonly setId: string;
  private readonly port: OptionsPort;

  constructor(set: LabelSet, port: OptionsPort) {
    this.mode = set.mode ?? 'pair';
    this.fields = lists.filter(({ modes }) => modes === undefined || modes.includes(this.mode));
    this.setId = set.id;
    this.port = port;
    this.fill(set.options ?? defaultOptions);
  }

  /** Reads which names the decisions use. */
  async load(): Promise<void> {
    await this.task.run(async () => {
      this.usage = await this.port.optionUsage({ setId: this.setId });
    });
  }

  private fill(options: SetOptions): void {
    this.before = options;
    this.strength = options.strength;
    this.lengthBlind = options.lengthBlind;
    this.guidelines = options.guidelines;
    for (const { name } of lists) this.names[name] = options[name].join(', ');
    this.overlap.text = String(options.overlap);
    this.scale.text = String(options.scale);
  }

  /** The first thing that is wrong with the fields, as a sentence; null if nothing is. */
  get problem(): string | null {
    if (this.overlap.value === null || this.scale.value === null) return 'A number is missing or wrong.';
    const faults = this.fields.map((field) =>
      listProblem(field.title, namesIn(this.names[field.name]), field),
    );
    return faults.find((fault) => fault !== null) ?? null;
  }

  /** The options that differ from the stored ones; null while a field is wrong. */
  get changes(): Partial<SetOptions> | null {
    if (this.problem !== null || this.overlap.value === null || this.scale.value === null) return null;
    const now: Partial<SetOptions> = {
      strength: this.strength,
      lengthBlind: this.lengthBlind,
      guidelines: this.guidelines,
      overlap: this.overlap.value,
      scale: this.scale.value,
      ...Object.fromEntries(this.fields.map(({ name }) => [name, namesIn(this.names[name])])),
    };
    const changed = Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(this.before[name as keyof SetOptions]),
    );
    return Object.fromEntries(changed);
  }

  get isChanged(): boolean {
    return this.problem !== null || Object.keys(this.changes ?? {}).length > 0;
  }

  /** Sentences on decisions whose names or ratings the changes no longer offer. */
  get losses(): readonly string[] {
    const { usage } = this;
    if (!usage) return [];
    const named = this.fields.flatMap(({ name, title }) => {
      const kept = namesIn(this.names[name]);
      return Object.entries(usage[name])
        .filter(([each]) => !kept.includes(each))
        .map(([each, count]) => lossOf(name, title, each, count));
    });
    const scale = this.scale.value ?? Number.POSITIVE_INFINITY;
    const higher = Object.entries(usage.ratings)
      .filter(([highest]) => Number(highest) > scale)
      .reduce((sum, [, count]) => sum + count, 0);
    return higher === 0
      ? named
      : [...named, `${plural(higher, 'decision')} rated above ${scale}. They keep their ratings.`];
  }

  /** Returns the set with its new options, or null if they could not be saved. */
  async save(): Promise<LabelSet | null> {
    const { changes } = this;
    if (changes === null || this.task.busy) return null;
    let set: LabelSet | null = null;
    await this.task.run(async () => {
      set = await this.port.setOptions({ id: this.setId, options: changes });
      this.fill({ ...this.before, ...changes });
      this.saved = true;
    });
    return set;
  }

  discard(): void {
    this.fill(this.before);
  }
}

const lossOf = (name: ListName, title: string, each: string, count: number): string =>
  name === 'attributes'
    ? `${plural(count, 'decision')} rated “${each}”. Those ratings stay stored and count in means, but cannot be changed one by one.`
    : `${plural(count, 'decision')} used “${each}” (${title.toLowerCase()}). It stays stored, but can no longer be chosen.`;
