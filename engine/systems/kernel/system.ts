import type { RunSpecInput } from '../../schema/run-spec.ts';
import type { SystemClass } from '../../schema/systems.ts';

/** The registered parts that carry a system, by id. */
export interface Parts {
  readonly method?: string;
  /** A preset of the method. */
  readonly preset?: string;
  readonly reward?: string;
  readonly controller?: string;
  /** An operator of plans: from answers to rows. */
  readonly operator?: string;
  /** A plan that ships with Whetstone. */
  readonly plan?: string;
  readonly world?: string;
  /** A tabular agent of control worlds. */
  readonly agent?: string;
  /** A rule of the run doctor. */
  readonly rule?: string;
  /** A probe of judges. */
  readonly probe?: string;
  /** A file of the repository, for a part that no list names. */
  readonly file?: string;
}

/** The state of a system in this version, each with its evidence. */
export type SystemState =
  | {
      readonly status: 'works';
      readonly parts: Parts;
      /** A test, or a file of independent numbers, that contains `mentions`. */
      readonly test: string;
      readonly mentions: string;
      /** Shows parts that have no toy run of their own. */
      readonly spec?: RunSpecInput;
    }
  | {
      readonly status: 'expressible';
      readonly spec: RunSpecInput;
      /** The difference between this run, or plan, and the paper. */
      readonly differs: string;
    }
  | {
      readonly status: 'expressible';
      /** The id of a plan that ships with Whetstone. */
      readonly plan: string;
      readonly differs: string;
    }
  /** `missing`: the part that it lacks; may be left out where nothing of its cluster is there yet. */
  | { readonly status: 'none'; readonly missing?: string }
  | { readonly status: 'n/a'; readonly why: string };

/** A published system. */
export interface System {
  /** Stable: addresses name it. */
  readonly id: string;
  readonly name: string;
  /** The title of its paper. */
  readonly paper: string;
  readonly class: SystemClass;
  /** Its cluster, by the part that it needs; null for one that belongs to none. */
  readonly cluster: number | null;
  /** Its mechanism in one sentence. */
  readonly about: string;
  readonly state: SystemState;
}

/**
 * Carried by parts of the product, and held by a test: the file `test` contains `mentions`, by default the id
 * of the first part.
 */
export const works = (
  parts: Parts,
  test: string,
  mentions: string = Object.values(parts)[0] ?? '',
  spec?: RunSpecInput,
): SystemState => ({ status: 'works', parts, test, mentions, ...(spec && { spec }) });

/** Can be approached by a run of existing parts, which differs from the paper in what `differs` says. */
export const expressible = (spec: RunSpecInput, differs: string): SystemState => ({
  status: 'expressible',
  spec,
  differs,
});

/** The same for a plan of several runs that ships with Whetstone. */
export const expressibleAsPlan = (plan: string, differs: string): SystemState => ({
  status: 'expressible',
  plan,
  differs,
});

/** Not carried: for the lack of the part of its cluster, or of `missing`. */
export const none = (missing?: string): SystemState => ({
  status: 'none',
  ...(missing !== undefined && { missing }),
});

/** Has nothing that this product could carry. */
export const notApplicable = (why: string): SystemState => ({ status: 'n/a', why });

/** Systems of one cluster. */
export const inCluster = (
  cluster: number | null,
  systems: readonly Omit<System, 'cluster'>[],
): readonly System[] => systems.map((system) => ({ ...system, cluster }));
