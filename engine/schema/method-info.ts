/**
 * A JSON Schema (draft 2020-12), as `z.toJSONSchema` writes it: forms, flags and documentation derive from
 * it.
 */
export type JsonSchema = { readonly [key: string]: unknown };

/** A role of a method besides its main one, and what a run may set for it. */
export interface RoleInfo {
  readonly name: string;
  /** The run must name its model, since a copy of the policy would have no purpose: a teacher. */
  readonly needsModel: boolean;
  /** It is trained, by an optimizer that may be its own. */
  readonly learns: boolean;
  /** It samples answers, by settings that may be its own. */
  readonly samples: boolean;
  /** Its answers are scored, by rewards that may be its own. */
  readonly scores: boolean;
  /** It generates text, so that evaluations can measure its answers. */
  readonly writes: boolean;
  /** It writes a verdict on each line of another role’s answers. */
  readonly judges: boolean;
}

/** An action of a control world: one of several choices, or numbers. */
export type ActionKind = 'choices' | 'numbers';

/** A control world as shown on screens. */
export interface ControlWorldInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly actions: ActionKind;
}

/** A method as shown on screens and the command line. */
export interface MethodInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  /** The kind of task that it learns from. */
  readonly task: string;
  /** In control worlds: whether it chooses actions or gives their numbers; null where it writes text. */
  readonly actions: ActionKind | null;
  /** `policy` writes text; `reward` scores it. */
  readonly produces: 'policy' | 'reward' | 'rows';
  readonly params: JsonSchema;
  /** Parameters that a form shows among its main fields. */
  readonly main: readonly string[];
  /** Suggested run settings, overridden by the user's choices. */
  readonly suggested: { readonly [section: string]: unknown };
  readonly presets: { readonly [name: string]: object };
  readonly stations: readonly string[];
  /** Roles besides the run's own model: a verifier, a critic, a teacher. */
  readonly roles: readonly RoleInfo[];
}

export interface WorldInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: JsonSchema;
}

/**
 * A world with its default parameters: maximum prompt and answer lengths with the end token, in characters,
 * the kinds of training data that it offers, and in which ways its prompts can be said otherwise.
 */
export interface MeasuredWorld extends WorldInfo {
  readonly longest: { readonly prompt: number; readonly answer: number };
  /** Every character of its prompts and answers. */
  readonly alphabet: string;
  readonly taskKinds: readonly string[];
  readonly wordings: readonly string[];
}

export interface ControllerInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  readonly params: JsonSchema;
}

export interface ComposerInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  readonly params: JsonSchema;
}

export interface RewardInfo {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** Its dependencies on a run: `world`, `reference`, `checkpoint` … */
  readonly needs: readonly string[];
  readonly params: JsonSchema;
}
