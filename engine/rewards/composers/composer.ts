import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import type { ComposerInfo, JsonSchema } from '../../schema/method-info.ts';
import type { ComposerSpec } from '../../schema/run-spec.ts';
import type { NamedReward } from '../stack.ts';

/** One scorer of the stack, as the total sees it. `where`: its path in the specification. */
export type Component = Pick<NamedReward, 'name' | 'weight' | 'where'>;

/** The values of one batch of answers. */
export interface Scored {
  /** R values of each scorer, by name. */
  readonly values: { readonly [scorer: string]: Float64Array };
  /** Positions of the rows that are compared with one another. */
  readonly groups: readonly (readonly number[])[];
  readonly rows: number;
  /** Share of the run's updates that are done, 0–1. */
  readonly progress: number;
}

/** Result of a composer, one number per row. */
export interface Composed {
  /** The measured total, comparable over a run: what evaluations and charts show. */
  readonly total: Float64Array;
  /** The reward to learn from, if it differs from the total. */
  readonly credit?: Float64Array;
  /** Numbers about the whole batch, recorded as `reward/<name>`: a multiplier, a stage. */
  readonly recorded?: { readonly [name: string]: number };
}

/** An opened composer; `state` is plain data, saved with every checkpoint. */
export interface Composition {
  readonly compose: (scored: Scored) => Composed;
  state?(): unknown;
  restore?(saved: unknown): void;
}

/** A composer as listed in catalogues and forms. */
export interface Composer {
  readonly id: string;
  readonly params: z.ZodObject;
  readonly info: ComposerInfo;
  /** True if it compares the answers to a prompt, so that a single answer has a credit of 0. */
  readonly comparesGroups: boolean;
  /** Throws `invalid-input` with the path of the field that does not fit these scorers. */
  open(params: unknown, components: readonly Component[]): Composition;
}

/** Defines a composer: how the values of several scorers become one total. */
export const defineComposer = <P extends z.ZodObject>(definition: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  readonly comparesGroups?: boolean;
  readonly params: P;
  readonly open: (
    params: z.output<P>,
    components: readonly Component[],
  ) => Composition['compose'] | Composition;
}): Composer => {
  const { id, title, summary, cites, params, comparesGroups = false } = definition;
  return {
    id,
    params,
    comparesGroups,
    info: { id, title, summary, cites, params: z.toJSONSchema(params, { io: 'input' }) as JsonSchema },
    open: (given, components) => {
      const parsed = params.safeParse(given ?? {});
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : issue.path;
        return refuseField(keys.map(String).join('.'), issue.message);
      }
      const opened = definition.open(parsed.data, components);
      return typeof opened === 'function' ? { compose: opened } : opened;
    },
  };
};

/** Throws `invalid-input` at a field of the composer's parameters. */
export const refuseField = (field: string, message: string, hint?: string): never => {
  throw new WhetstoneError('invalid-input', message, {
    where: ['composer.params', field].filter((part) => part !== '').join('.'),
    hint,
  });
};

/** The component of that name. Throws `invalid-input` with the path of the field that names it. */
export const componentAt = (field: string, name: string, components: readonly Component[]): Component =>
  components.find((one) => one.name === name) ??
  refuseField(
    field,
    `There is no scorer '${name}' among the rewards.`,
    `There are: ${components.map((one) => one.name).join(', ')}.`,
  );

/** Components that count in a total. */
export const counting = (components: readonly Component[]): readonly Component[] =>
  components.filter(({ weight }) => weight !== 0);

/** Σ weight · value of these components, one number per row. */
export const weightedSum = (
  components: readonly Component[],
  { values, rows }: Pick<Scored, 'values' | 'rows'>,
): Float64Array => {
  const total = new Float64Array(rows);
  for (const { name, weight } of counting(components))
    values[name].forEach((value, r) => {
      total[r] += weight * value;
    });
  return total;
};

/** What a specification says about composing; the sum if it says nothing. */
export type ComposerChoice = Pick<ComposerSpec, 'id' | 'params'>;
