import type { DecisionDetails } from '../../../engine/schema/labeling/index.ts';
import type { Choice, PairShown } from '../../../preload/contract/labels.ts';

const toggled = (list: readonly string[], name: string): readonly string[] =>
  list.includes(name) ? list.filter((each) => each !== name) : [...list, name];

/** Details of a decision while it is being made, beginning with those of an earlier decision on the item. */
export class Draft {
  reasons = $state.raw<readonly string[]>([]);
  flags = $state.raw<readonly string[]>([]);
  critique = $state('');
  /** The reference answer once it was revealed; null if none is stored. */
  reference = $state.raw<string | null | undefined>(undefined);
  /** The value of an `answered` decision. */
  value = $state.raw<unknown>(undefined);
  /** The text of a rewrite while it is typed; undefined before the first change. */
  text = $state<string | undefined>(undefined);
  /** Strength of the earlier decision. */
  readonly strength: number | undefined;
  private revealed = false;

  constructor(before?: PairShown['before']) {
    this.reasons = before?.details.reasons ?? [];
    this.flags = before?.details.flags ?? [];
    this.critique = before?.details.critique ?? '';
    this.revealed = before?.details.revealed ?? false;
    this.strength = before?.details.strength;
    this.value = before?.value;
  }

  toggleReason(name: string): void {
    this.reasons = toggled(this.reasons, name);
  }

  toggleFlag(name: string): void {
    this.flags = toggled(this.flags, name);
  }

  /** Replaces the flag by the next one of the list, after the last by none. */
  nextFlag(flags: readonly string[]): void {
    const next = flags.at(flags.findIndex((each) => this.flags.includes(each)) + 1);
    this.flags = next === undefined || this.flags.includes(flags.at(-1) ?? '') ? [] : [next];
  }

  reveal(reference: string | null): void {
    this.reference = reference;
    this.revealed = true;
  }

  /** The details to be stored with a choice. `lengthBlind`: it was made between cut answers. */
  details(
    choice: Choice,
    { strength, lengthBlind = false }: { strength?: number; lengthBlind?: boolean } = {},
  ): DecisionDetails {
    const isSided = choice === 'left' || choice === 'right';
    return {
      ...(isSided && strength !== undefined && { strength }),
      ...(this.reasons.length > 0 && { reasons: [...this.reasons] }),
      ...(this.flags.length > 0 && { flags: [...this.flags] }),
      ...(this.critique.trim() && { critique: this.critique.trim() }),
      ...(this.revealed && { revealed: true }),
      ...(lengthBlind && { lengthBlind }),
    };
  }
}
