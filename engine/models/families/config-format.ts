/** Shared code of the readers of `config.json`. */
import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import type { Head, ModelConfig } from '../config.ts';

/** Reader and writer of one family's `config.json`. */
export interface ConfigFormat<C extends ModelConfig> {
  /** Values of `model_type` that it reads. */
  readonly types: readonly string[];
  /** Name of Transformers' class for a model with this head. */
  classOf(config: C, head: Head): string;
  /**
   * Throws `invalid-input` for missing or impossible values, `unsupported` for settings that are not
   * supported.
   */
  read(json: Readonly<Record<string, unknown>>, head: Head, where: string): C;
  /** The configuration of a model made here, without the fields common to every family. */
  write(config: C): Record<string, unknown>;
}

/** A size: at least 1, and small enough that products of two sizes are exact. */
export const count = z
  .int()
  .min(1)
  .max(2 ** 24);
/** A special token: a number, the first of a list, or none. */
export const tokenId = z
  .union([z.int(), z.array(z.int())])
  .nullish()
  .transform((id) => (Array.isArray(id) ? id[0] : id) ?? null);

export const parsed = <S extends z.ZodType>(schema: S, json: unknown, where: string): z.output<S> => {
  const result = schema.safeParse(json);
  if (!result.success)
    throw new WhetstoneError(
      'invalid-input',
      `The model’s configuration is not complete: ${z.prettifyError(result.error)}`,
      { where },
    );
  return result.data;
};

/** Throws `unsupported` with every reason that holds. */
export const refuseAll = (name: string, where: string, reasons: readonly (string | false)[]): void => {
  const refused = reasons.filter((reason) => reason !== false);
  if (refused.length > 0)
    throw new WhetstoneError('unsupported', `This ${name} has unsupported settings: ${refused.join(', ')}.`, {
      where,
    });
};
