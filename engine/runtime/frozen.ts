/**
 * Keeps read-only arrays inside the sessions that read them: if feeds cross a bus in every run, a frozen
 * model then crosses it only once per session.
 */
import type { ExternalData } from '../onnx/model.ts';
import type { Execute, ProgramFacts, Values } from './program.ts';

interface Known {
  readonly file: string;
  readonly ranges: { readonly start: number; readonly end: number }[];
}

/** Arrays that are not written any more. A host buffer is a numbered file, and an array a range of it. */
export class FrozenArrays {
  readonly #known = new WeakMap<ArrayBufferLike, Known>();
  readonly #gone: FinalizationRegistry<string>;
  #count = 0;

  /** `gone` is called with the file of each array that was garbage-collected. */
  constructor(gone: (file: string) => void) {
    this.#gone = new FinalizationRegistry(gone);
  }

  add(array: Values): void {
    const { buffer, byteOffset, byteLength } = array;
    if (this.find(array)) return;
    let known = this.#known.get(buffer);
    if (!known) {
      this.#known.set(buffer, (known = { file: `frozen ${this.#count++}`, ranges: [] }));
      this.#gone.register(buffer, known.file);
    }
    known.ranges.push({ start: byteOffset, end: byteOffset + byteLength });
  }

  /** The location of a frozen array, or of a view of one. */
  find({ buffer, byteOffset, byteLength }: Values): ExternalData | undefined {
    const known = this.#known.get(buffer);
    const inside =
      byteLength > 0 &&
      known?.ranges.some(({ start, end }) => start <= byteOffset && byteOffset + byteLength <= end);
    return known && inside ? { file: known.file, offset: byteOffset, bytes: byteLength } : undefined;
  }
}

/** The inputs that one session holds itself, and the buffers of their values. */
export interface Frozen {
  readonly places: Readonly<Record<string, ExternalData>>;
  readonly files: ReadonlyMap<string, ArrayBufferLike>;
}

export const bytesOfPlaces = (places: Frozen['places']): number =>
  Object.values(places).reduce((sum, { bytes }) => sum + bytes, 0);

/** The frozen ones among a run's feeds. Arrays that the run writes are not frozen. */
export const frozenIn = (
  arrays: FrozenArrays,
  { inputs, inPlace }: ProgramFacts,
  feeds: Readonly<Record<string, Values>>,
): Frozen => {
  const written = new Set(Object.values(inPlace).map(({ input }) => input));
  const places: Record<string, ExternalData> = {};
  const files = new Map<string, ArrayBufferLike>();
  for (const name of Object.keys(inputs)) {
    const place = written.has(name) ? undefined : arrays.find(feeds[name]);
    if (!place) continue;
    places[name] = place;
    files.set(place.file, feeds[name].buffer);
  }
  return { places, files };
};

/**
 * Runs a program by sessions that hold its frozen feeds: one per fed model, made by `make` at its first run.
 * A session lives no longer than the model's own array.
 */
export const frozenRun = (
  arrays: FrozenArrays,
  facts: ProgramFacts,
  make: (frozen: Frozen) => Execute,
): Execute => {
  const none = {};
  const made = new WeakMap<object, Map<string, Execute>>();
  return (feeds, sizes) => {
    const frozen = frozenIn(arrays, facts, feeds);
    const owner = frozen.files.values().next().value ?? none;
    const variants = made.get(owner) ?? new Map<string, Execute>();
    const key = JSON.stringify(frozen.places);
    made.set(owner, variants);
    const execute = variants.get(key) ?? make(frozen);
    variants.set(key, execute);
    return execute(
      Object.fromEntries(Object.entries(feeds).filter(([name]) => !(name in frozen.places))),
      sizes,
    );
  };
};
