/** Every kind of error that crosses a process boundary. A closed set: tables over it are exhaustive. */
export const errorKinds = [
  'invalid-input',
  'not-found',
  'conflict',
  'unsupported',
  'out-of-memory',
  'disk-full',
  'device-failed',
  'numeric',
  'cancelled',
  'newer-workspace',
  'untrusted',
  'internal',
] as const;
export type ErrorKind = (typeof errorKinds)[number];

/** Facts a person needs to act: the problem, its location (file, line, field, step), and a hint. */
export interface ErrorFacts {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly where?: string;
  readonly hint?: string;
}

/** The project's only error class; `facts` and `from` carry it across process boundaries. */
export class WhetstoneError extends Error implements ErrorFacts {
  readonly kind: ErrorKind;
  readonly where?: string;
  readonly hint?: string;

  constructor(
    kind: ErrorKind,
    message: string,
    { where, hint, cause }: { where?: string; hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'WhetstoneError';
    this.kind = kind;
    this.where = where;
    this.hint = hint;
  }

  get facts(): ErrorFacts {
    return {
      kind: this.kind,
      message: this.message,
      ...(this.where && { where: this.where }),
      ...(this.hint && { hint: this.hint }),
    };
  }

  /**
   * Converts any thrown value to a WhetstoneError; unexpected ones become `internal`, with their stack as
   * the cause.
   */
  static from(error: unknown): WhetstoneError {
    if (error instanceof WhetstoneError) return error;
    if (isFacts(error)) return new WhetstoneError(error.kind, error.message, error);
    return new WhetstoneError('internal', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

/** The value of `act`; an error of it gets this place. */
export function placed<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { kind, message, hint } = WhetstoneError.from(error);
    throw new WhetstoneError(kind, message, { where, hint, cause: error });
  }
}

const isFacts = (value: unknown): value is ErrorFacts =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  'message' in value &&
  (errorKinds as readonly unknown[]).includes(value.kind);
