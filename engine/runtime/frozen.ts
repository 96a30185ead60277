/**
 * What is only read, kept inside the sessions that read it: where feeds cross a bus in every run, a frozen
 * model crosses it when a session is made.
 */
import type { ExternalData } from '../onnx/model.ts';
import type { Execute, ProgramFacts, Values } from './program.ts';

interface Known {
  readonly file: string;
  readonly ranges: { readonly start: number; readonly end: number }[];
}

/**
 * Arrays that nobody writes any more. A buffer of the host is a file by its number, and an array a piece of
 * it.
 */
export class FrozenArrays {
  readonly #known = new WeakMap<ArrayBufferLike, Known>();
  readonly #gone: FinalizationRegistry<string>;
  #count = 0;

  /** Hears of files whose arrays are gone. */
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

  /** The place of a frozen array, or of a view of one. */
  find({ buffer, byteOffset, byteLength }: Values): ExternalData | undefined {
    const known = this.#known.get(buffer);
    const inside =
      byteLength > 0 &&
      known?.ranges.some(({ start, end }) => start <= byteOffset && byteOffset + byteLength <= end);
    return known && inside ? { file: known.file, offset: byteOffset, bytes: byteLength } : undefined;
  }
}

/** The inputs of one session that it holds itself, and the buffers in which their values lie. */
export interface Frozen {
  readonly places: Readonly<Record<string, ExternalData>>;
  readonly files: ReadonlyMap<string, ArrayBufferLike>;
}

export const bytesOfPlaces = (places: Frozen['places']): number =>
  Object.values(places).reduce((sum, { bytes }) => sum + bytes, 0);

/** Which of a run's feeds are frozen. What the run writes is not. */
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
 * Runs a program by sessions that hold what is frozen of its feeds: one for each model that it is fed, made
 * by `make` at its first run. It lives no longer than the model's own array.
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
