/**
 * Parameters as an optimizer takes them: parts of one flat array. A large tensor is a part of its own: its
 * update then stays in the processor's caches from pass to pass, and neither parameters nor gradients are
 * copied together. Small neighbours are one part, since every part costs some nodes.
 */
import type { Shape } from '../tensor/index.ts';

/** A parameter's place in the flat array, in values. */
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
  /** That of its parameter, or [size] where it holds several. */
  readonly shape: Shape;
  /** Whether weight decay applies. */
  readonly decays: boolean;
  /** Whether it is a matrix inside the network, which Muon updates; the rest is AdamW's. */
  readonly hidden: boolean;
}

export interface Grouping {
  readonly kind: 'adamw' | 'sgd' | 'lion' | 'muon';
  readonly weightDecay: number;
}

/** Values below which neighbours are joined. */
const SMALL = 65_536;

/** Matrices that read or write tokens or scores: what stands at the ends of a network. */
const atTheEnds = /(^|\.)(wte|wpe|embed_tokens|lm_head|score)\./;

/** Weight decay is for matrices, embeddings included; gains and biases keep their scale. */
const decaysOf = ({ shape }: Slot): boolean => shape.length >= 2;
const isHidden = ({ name, shape }: Slot): boolean => shape.length === 2 && !atTheEnds.test(name);

/** The parts of a layout, in its order. Only what an optimizer treats alike is joined. */
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
