import { readNumber, type Bounds, type ReadNumber } from '../../engine/common/number-text.ts';

/**
 * A number that someone types, with its bounds: there is no value while what stands in the field cannot be
 * read.
 */
export class NumberEntry {
  text = $state('');
  private readonly bounds: Bounds;

  constructor(value: number, bounds: Bounds) {
    this.text = String(value);
    this.bounds = bounds;
  }

  // getters: it outlives the effect that made it, and a derived value would not
  private get read(): ReadNumber {
    return readNumber(this.text, this.bounds);
  }
  get value(): number | null {
    const { read } = this;
    return read.ok ? read.value : null;
  }
  /** What is wrong with it. */
  get wrong(): string | null {
    const { read } = this;
    return read.ok ? null : read.message;
  }

  set(value: number): void {
    this.text = String(value);
  }
}

/** Seeds are 32 bits wide. */
export const seedBounds: Bounds = { integer: true, low: 0, high: 0xffff_ffff };
