import { count, defineAgent, positive, share } from '../kernel/agent.ts';
import { fitEncoder, newEncoder, strangeness } from '../kernel/descriptors.ts';
import { filled } from '../kernel/tables.ts';

/** A policy by its action in each state, where it went, and what it earned. */
interface Tried {
  readonly genome: readonly number[];
  readonly visits: readonly number[];
  readonly earned: number;
}

/** Behaviours in the archive; beyond it one at random is dropped for each that is added. */
const MOST_ARCHIVED = 200;

/**
 * Counts a child of the first emitter, which keeps it if it earned more, and ends after `patience` that did
 * not.
 */
const emit = (emitters: { center: Tried; stale: number }[], tried: Tried, patience: number): void => {
  const [emitter] = emitters;
  if (tried.earned > emitter.center.earned) Object.assign(emitter, { center: tried, stale: 0 });
  else if (++emitter.stale >= patience) emitters.shift();
};

export const stax = defineAgent({
  id: 'stax',
  title: 'STAX',
  summary:
    'Evolves policies for novel behaviour, in a space that an autoencoder learns from where they went; a policy that ' +
    'finds a reward becomes an emitter, which improves it in turns with the search.',
  cites:
    'Discovering and Exploiting Sparse Rewards in a Learned Behavior Space, with a linear autoencoder of visits and ' +
    'emitters of one policy',
  params: {
    novel: share(1, 'Chance that a generation is chosen for novelty or surprise; else by reward alone.'),
    emit: share(0.5, 'Share of the episodes that emitters get once a reward was found.'),
    population: count(10, 'Policies of a generation.', 1000),
    dims: count(3, 'Dimensions of the learned space.', 100),
    neighbours: count(5, 'Nearest behaviours whose mean distance is the novelty.'),
    mutate: share(0.1, 'Chance that a state’s action is drawn anew in a child.'),
    fit: positive(0.02, 'Step size of the autoencoder.'),
    idle: count(5, 'Steps without a new state after which an episode is given up.'),
    patience: count(50, 'Children in a row without a gain after which an emitter ends.'),
  },
  open: (setting, params) => {
    const { states, actions, discount, draw } = setting;
    const fresh = (): number[] => Array.from({ length: states }, () => draw.int(actions));
    const mutated = (genome: readonly number[]) =>
      genome.map((action) => (draw.next() < params.mutate ? draw.int(actions) : action));
    const memory = {
      ...{
        parents: [] as Tried[],
        children: [] as Tried[],
        archive: [] as (readonly number[])[],
        best: null as Tried | null,
      },
      ...{ emitters: [] as { center: Tried; stale: number }[], isEmitting: false, started: 0 },
      ...{ encoder: newEncoder(states, params.dims, draw), genome: fresh(), visits: filled(states) },
      ...{ earned: 0, t: 0, idle: 0 },
    };
    const select = (): void => {
      const pool = [...memory.parents, ...memory.children];
      const { archive, encoder, children } = memory;
      archive.push(draw.pick(children).visits);
      if (archive.length > MOST_ARCHIVED) archive.splice(draw.int(archive.length), 1);
      const bySurprise = draw.next() < 0.5;
      const isNovel = draw.next() < params.novel;
      const scores = isNovel
        ? strangeness(encoder, pool, archive, bySurprise ? null : params.neighbours)
        : pool.map(({ earned }) => earned);
      memory.parents = pool
        .map((tried, at) => ({ tried, score: scores[at] }))
        .toSorted((a, b) => b.score - a.score)
        .slice(0, params.population)
        .map(({ tried }) => tried);
      memory.children = [];
    };
    const endEpisode = (): void => {
      const length = Math.hypot(...memory.visits);
      const visits = memory.visits.map((each) => each / length);
      const tried: Tried = { genome: memory.genome, visits, earned: memory.earned };
      fitEncoder(memory.encoder, visits, params.fit);
      if (!memory.best || tried.earned > memory.best.earned) memory.best = tried;
      if (memory.isEmitting) emit(memory.emitters, tried, params.patience);
      else {
        memory.children.push(tried);
        if (tried.earned > 0 && memory.emitters.length < params.population) {
          memory.emitters.push({ center: tried, stale: 0 });
          memory.started++;
        }
        if (memory.children.length >= params.population) select();
      }
      memory.isEmitting = memory.emitters.length > 0 && draw.next() < params.emit;
      const from = memory.isEmitting ? memory.emitters[0].center : memory.parents[memory.children.length];
      memory.genome = from ? mutated(from.genome) : fresh();
      Object.assign(memory, { visits: filled(states), earned: 0, t: 0, idle: 0 });
    };
    return {
      memory,
      act: (state) => memory.genome[state],
      learn: ({ state, reward, next, isTerminal, isLast }) => {
        const at = isTerminal ? state : next;
        memory.idle = memory.visits[at] === 0 ? 0 : memory.idle + 1;
        memory.visits[at]++;
        memory.earned += discount ** memory.t++ * reward;
        if (isLast || memory.idle > params.idle) endEpisode();
      },
      givesUp: () => memory.t === 0,
      policy: () => (state) => memory.best?.genome[state] ?? 0,
      facts: () => ({ emitters: memory.started, best: memory.best?.earned ?? 0 }),
    };
  },
});
