/** Where the engine finds what a call reads: models, texts, worlds. */

/** Location and hash of an adapter's base model; the hash is null if unknown. */
export interface BaseRef {
  readonly path: string;
  readonly hash: string | null;
}

/** Location of a model to open. */
export interface ModelPlace {
  readonly folder: string;
  /** For an adapter whose own files do not locate its base. */
  readonly base?: BaseRef;
}

/** A prompt and an answer to it. */
export interface TextToRead {
  readonly prompt: string;
  readonly answer: string;
}

/** A world whose problems are the prompts: it replies if it is multi-turn, and judges. */
export interface WorldChoice {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
}
