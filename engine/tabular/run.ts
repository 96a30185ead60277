/** Runs an agent in a control world with countable states, and compares it with the optimum. */
import { WhetstoneError } from '../common/errors.ts';
import { controlWorldById, Copies, type ControlWorld, type SavedCopies } from '../control/index.ts';
import { stream, type RandomStream } from '../random/random.ts';
import { agentById } from './agents/index.ts';
import type { Agent, Policy } from './kernel/agent.ts';
import { modelOf, reachable, slippery, type Model } from './kernel/model.ts';
import { valueIteration } from './kernel/plan.ts';

/** What is run. Every field is plain, so that a run is repeated from it. */
export interface TabularSpec {
  readonly agent: string;
  /** A control world; `deep-sea` stands for `control/deep-sea`. */
  readonly world: string;
  readonly steps: number;
  readonly seed: number;
  readonly params?: { readonly [name: string]: unknown };
  /** γ, 0 to below 1. */
  readonly discount?: number;
  /** Probability that a random action is taken in place of the chosen one. */
  readonly slip?: number;
}

/** What a policy earns, without exploration. */
export interface Earned {
  /** Mean sum of rewards of an episode. */
  readonly return: number;
  /** Mean Σ γᵗ·r, to compare with V*. */
  readonly discounted: number;
}

export interface TabularResult extends Earned {
  /** V* of the start, within `bound`. */
  readonly optimum: number;
  readonly bound: number;
  /** Share of the states that can be reached and are not terminal. */
  readonly covered: number;
  /** Steps until the first reward above 0; null if there was none. */
  readonly firstSuccess: number | null;
  readonly episodes: number;
  /** Σ over training episodes of V* − Σ γᵗ·r; null for an agent that begins some elsewhere, or gives them up. */
  readonly regret: number | null;
  /** The policy after tenths of the steps. */
  readonly curve: readonly { readonly step: number; readonly return: number; readonly discounted: number }[];
  readonly facts: { readonly [name: string]: number };
}

/** All that the rest of a run depends on, as plain data. */
export interface SavedTabular {
  readonly agent: object;
  readonly copies: SavedCopies;
  readonly positions: readonly number[];
  readonly so: object;
}

const limits = { steps: 10_000_000, episodes: 100 };

const refuse = (where: string, message: string, hint?: string): never => {
  throw new WhetstoneError('invalid-input', message, { where, ...(hint && { hint }) });
};

/** The full id of a control world. Throws `invalid-input` if there is none. */
const worldOf = (name: string): ControlWorld =>
  controlWorldById(name.includes('/') ? name : `control/${name}`, 'world');

const checked = (spec: TabularSpec) => {
  const { steps, seed, discount = 0.99, slip = 0 } = spec;
  if (!Number.isInteger(steps) || steps < 10 || steps > limits.steps)
    refuse('steps', `There can be 10 to ${limits.steps} steps, not ${steps}.`);
  if (!(discount >= 0 && discount < 1))
    refuse('discount', `The discount lies from 0 to below 1, not ${discount}.`);
  if (!(slip >= 0 && slip <= 1)) refuse('slip', `The chance of a slip lies from 0 to 1, not ${slip}.`);
  const kind = agentById(spec.agent, 'agent');
  const given = kind.params.safeParse(spec.params ?? {});
  if (!given.success) {
    const [{ path, message }] = given.error.issues;
    refuse(
      ['params', ...path].join('.'),
      `${message}.`.replace('..', '.'),
      `Parameters of ${kind.id}: ${Object.keys(kind.params.shape).join(', ') || 'none'}.`,
    );
  }
  return { steps, seed, discount, slip, kind, params: given.data ?? {} };
};

/** Counters of a run. Plain data. */
interface SoFar {
  step: number;
  /** Steps of the current episode. */
  t: number;
  episodes: number;
  discounted: number;
  regret: number;
  firstSuccess: number | null;
  visited: number[];
  curve: TabularResult['curve'][number][];
}

/** A run that can be saved after any step and continued to the same bits. */
export class TabularRun {
  readonly agent: Agent;
  private readonly spec: ReturnType<typeof checked> & { readonly world: ControlWorld };
  private readonly model: Model;
  private readonly optimum: ReturnType<typeof valueIteration>;
  private readonly copies: Copies;
  private readonly draw: RandomStream;
  private readonly slips: RandomStream;
  private readonly start: SavedCopies;
  private so: SoFar;

  /** Throws `invalid-input` for an unknown agent, world or parameter, `unsupported` for a world without a table. */
  constructor(spec: TabularSpec, world: ControlWorld = worldOf(spec.world)) {
    this.spec = { ...checked(spec), world };
    const { kind, params, seed, steps, discount, slip } = this.spec;
    this.model = slippery(modelOf(world), slip);
    this.optimum = valueIteration(this.model, discount);
    this.copies = new Copies(world, 1, seed);
    this.start = this.copies.save();
    this.draw = stream(seed, 'tabular-agent');
    this.slips = stream(seed, 'tabular-slip');
    const { states, actions } = this.model;
    const { limit } = world;
    this.agent = kind.open(
      { states, actions, discount, limit, steps, draw: this.draw, model: this.model },
      params,
    );
    this.so = {
      ...{ step: 0, t: 0, episodes: 0, discounted: 0, regret: 0 },
      ...{ firstSuccess: null, visited: [this.copies.indices[0]], curve: [] },
    };
  }

  get isDone(): boolean {
    return this.so.step >= this.spec.steps;
  }

  /** One step in the world, and what the agent learns from it. */
  step(): void {
    const { agent, copies, so, spec, slips, model } = this;
    const state = copies.indices[0];
    const action = agent.act(state, so.t);
    const isSlip = spec.slip > 0 && slips.next() < spec.slip;
    copies.step([isSlip ? slips.int(model.actions) : action]);
    const reward = copies.rewards[0];
    const isTerminal = copies.terminated[0] === 1;
    const isLast = isTerminal || copies.truncated[0] === 1;
    const next = copies.lastIndices[0];
    so.step++;
    so.discounted += spec.discount ** so.t * reward;
    so.t++;
    if (reward > 0) so.firstSuccess ??= so.step;
    if (!isTerminal && !so.visited.includes(next)) so.visited.push(next);
    agent.learn({ state, action, reward, next, isTerminal, isLast, snapshot: () => copies.save() });
    if (isLast || agent.givesUp?.()) this.endEpisode();
    if (so.step % Math.floor(spec.steps / 10) === 0) so.curve.push({ step: so.step, ...this.evaluate() });
  }

  result(): TabularResult {
    while (!this.isDone) this.step();
    const { so, optimum, model, agent } = this;
    const last = so.curve[so.curve.length - 1];
    const earned = last?.step === so.step ? last : { step: so.step, ...this.evaluate() };
    return {
      ...{ return: earned.return, discounted: earned.discounted },
      ...{ optimum: optimum.values[model.start], bound: optimum.bound },
      covered: so.visited.length / reachable(model).length,
      ...{ firstSuccess: so.firstSuccess, episodes: so.episodes },
      regret: agent.returnTo || agent.givesUp ? null : so.regret,
      curve: so.curve,
      facts: agent.facts?.() ?? {},
    };
  }

  save(): SavedTabular {
    const { agent, copies, draw, slips, so } = this;
    return structuredClone({
      ...{ agent: agent.memory, copies: copies.save() },
      ...{ positions: [draw.position, slips.position], so },
    });
  }

  /** Continues what was saved by a run of the same spec. */
  restore(saved: SavedTabular): void {
    const { agent, copies, positions, so } = structuredClone(saved);
    Object.assign(this.agent.memory, agent);
    this.copies.restore(copies);
    this.draw.seek(positions[0]);
    this.slips.seek(positions[1]);
    this.so = so as SoFar;
  }

  private endEpisode(): void {
    const { agent, copies, so, optimum, model } = this;
    so.regret += optimum.values[model.start] - so.discounted;
    so.episodes++;
    so.discounted = 0;
    const place = agent.returnTo?.() ?? this.start;
    copies.restore(place);
    so.t = place.steps[0];
  }

  private evaluate(): Earned {
    const { spec, agent } = this;
    return earned(spec.world, agent.policy(), spec);
  }
}

/** What a policy earns in episodes of their own: one if nothing is random, else 100. */
export const earned = (
  world: ControlWorld,
  policy: Policy,
  { seed, discount, slip }: { readonly seed: number; readonly discount: number; readonly slip: number },
): Earned => {
  const copies = new Copies(world, 1, seed);
  const slips = stream(seed, 'tabular-evaluation');
  const episodes = slip > 0 ? limits.episodes : 1;
  const choices = world.actions.kind === 'choices' ? world.actions.names.length : 0;
  let [sum, discounted] = [0, 0];
  for (let episode = 0; episode < episodes; episode++)
    for (let t = 0; ; t++) {
      const action = policy(copies.indices[0], t);
      copies.step([slip > 0 && slips.next() < slip ? slips.int(choices) : action]);
      sum += copies.rewards[0];
      discounted += discount ** t * copies.rewards[0];
      if (copies.terminated[0] || copies.truncated[0]) break;
    }
  return { return: sum / episodes, discounted: discounted / episodes };
};
