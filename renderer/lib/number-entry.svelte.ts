import { readNumber, type Bounds, type ReadNumber } from '../../engine/common/number-text.ts';

/** A typed number with its bounds: it has no value while the text is invalid. */
export class NumberEntry {
  text = $state('');
  private readonly bounds: Bounds;

  constructor(value: number, bounds: Bounds) {
    this.text = String(value);
    this.bounds = bounds;
  }

  // getters: the object outlives the effect that made it, a derived value would not
  private get read(): ReadNumber {
    return readNumber(this.text, this.bounds);
  }
  get value(): number | null {
    const { read } = this;
    return read.ok ? read.value : null;
  }
  /** The error of the text. */
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
