/**
 * Groups parameters into parts of one flat array for the optimizer. A large tensor is a part of its own: its
 * update then stays in the processor's caches from pass to pass, and neither parameters nor gradients are
 * copied together. Small neighbours share a part, since every part costs some nodes.
 */
import type { Shape } from '../tensor/index.ts';

/** A parameter's range in the flat array, in values. */
export interface Slot {
  readonly name: string;
  readonly shape: Shape;
  readonly offset: number;
  readonly size: number;
}

export interface Group {
  readonly slots: readonly Slot[];
  readonly offset: number;
  readonly size: number;
  /** Shape of its parameter, or [size] for a part of several. */
  readonly shape: Shape;
  /** True if weight decay applies. */
  readonly decays: boolean;
  /** True if Muon updates it (a matrix inside the network); AdamW updates the rest. */
  readonly hidden: boolean;
}

export interface Grouping {
  readonly kind: 'adamw' | 'sgd' | 'lion' | 'muon';
  readonly weightDecay: number;
}

/** Parameters with fewer values are joined with their neighbours. */
const SMALL = 65_536;

/** Input and output matrices of a network: embeddings, language-model head, score head. */
const atTheEnds = /(^|\.)(wte|wpe|embed_tokens|lm_head|score)\./;

/** Weight decay applies to matrices, embeddings included; gains and biases have none. */
const decaysOf = ({ shape }: Slot): boolean => shape.length >= 2;
const isHidden = ({ name, shape }: Slot): boolean => shape.length === 2 && !atTheEnds.test(name);

/** The parts of a layout, in its order. Only neighbours with equal decay and optimizer are joined. */
export const groupsOf = (
  slots: readonly Slot[],
  { kind, weightDecay }: Grouping = { kind: 'adamw', weightDecay: 0 },
  small = SMALL,
): Group[] => {
  const groups: Group[] = [];
  for (const slot of slots) {
    const hidden = kind === 'muon' && isHidden(slot);
    const decays = weightDecay !== 0 && decaysOf(slot);
    const last = groups.at(-1);
    const joins =
      last &&
      !hidden &&
      !last.hidden &&
      last.decays === decays &&
      slot.size < small &&
      last.size + slot.size <= small &&
      last.slots.every(({ size }) => size < small);
    if (joins)
      groups[groups.length - 1] = {
        ...last,
        slots: [...last.slots, slot],
        size: last.size + slot.size,
        shape: [last.size + slot.size],
      };
    else
      groups.push({ slots: [slot], offset: slot.offset, size: slot.size, shape: slot.shape, decays, hidden });
  }
  return groups;
};
