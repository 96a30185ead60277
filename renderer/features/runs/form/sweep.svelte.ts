import {
  axisOf,
  listItems,
  MOST_VARIANTS,
  named,
  seedAxis,
  variantsOf,
  type Axis,
  type Variant,
} from '../../../../engine/common/sweep.ts';
import { NumberEntry } from '../../../lib/number-entry.svelte.ts';
import type { Field } from './fields.ts';
import { draftNumber, shownFields, type FieldFault, type Holder } from './field-values.ts';

/** Lists of values in number fields, one axis each. Items that cannot be read are reported by their field. */
const axesOf = (fields: readonly Field[], form: Holder): readonly Axis[] =>
  [...shownFields(fields, form)].flatMap(({ field }) => {
    const text = field.kind === 'number' ? form.draft.get(field.path) : undefined;
    const items = typeof text === 'string' ? listItems(text) : null;
    return field.kind === 'number' && items
      ? [
          axisOf(
            field.path,
            items.map((item) => draftNumber(field, item)),
          ),
        ]
      : [];
  });

/** The runs that one form launches: one for each combination of its lists of values and its seeds. */
export class Sweep {
  /** Number of seeds, counted from the form's own one on. */
  readonly seeds = new NumberEntry(1, { integer: true, low: 1, high: MOST_VARIANTS });
  private readonly spec: () => Record<string, unknown>;
  private readonly fields: () => readonly Field[];
  private readonly form: Holder;
  /** Lists in the form's fields. */
  readonly listed: readonly Axis[] = $derived.by(() => axesOf(this.fields(), this.form));
  private readonly axes: readonly Axis[] = $derived.by(() => [
    ...this.listed,
    ...seedAxis(this.spec(), this.seeds.value ?? 1),
  ]);
  /** Number of runs, also of too many. */
  readonly count = $derived.by(() => this.axes.reduce((product, { values }) => product * values.length, 1));
  readonly variants: readonly Variant[] = $derived.by(() =>
    variantsOf(this.spec(), this.count > MOST_VARIANTS ? [] : this.axes),
  );
  readonly fault: FieldFault | null = $derived.by(() => {
    const lists = (this.seeds.value ?? 1) > 1 && typeof this.spec().seed === 'string';
    const wrong =
      this.seeds.wrong ??
      (lists ? 'The field Seed has several seeds already; leave this at 1.' : null) ??
      (this.count > MOST_VARIANTS
        ? `${this.count} runs at once; at most ${MOST_VARIANTS} can be made`
        : null);
    return wrong === null ? null : { path: ['seeds'], label: 'Seeds', message: wrong };
  });

  constructor(spec: () => Record<string, unknown>, fields: () => readonly Field[], form: Holder) {
    this.spec = spec;
    this.fields = fields;
    this.form = form;
  }

  /** The specifications to launch, each named by what tells it from the others. */
  named(name: string): readonly Record<string, unknown>[] {
    return named(this.variants, name);
  }
}
