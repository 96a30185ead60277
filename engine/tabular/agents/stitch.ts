import { count, defineAgent, share } from '../kernel/agent.ts';
import { fromLog, logParams } from '../kernel/logged.ts';
import { clustersOf, laterIn, piecesOf } from '../kernel/pieces.ts';
import { filled, greedyAction, largest } from '../kernel/tables.ts';

export const stitch = defineAgent({
  id: 'stitch',
  title: 'Temporal data augmentation',
  summary:
    'Imitates a log for any goal. Some goals are taken from another trajectory that meets the same cluster of ' +
    'states, so that trajectories continue in each other.',
  cites:
    'Closing the Gap between TD Learning and Supervised Learning -- A Generalisation Point of View, with counts',
  params: {
    ...logParams,
    random: share(0.5, 'Share of random actions in the logged behaviour; the others are optimal.'),
    augment: share(0.5, 'Chance that a goal is taken from another trajectory; 0 is plain imitation.'),
    clusters: count(100, 'Clusters of states, by logged steps between them.'),
    piece: count(12, 'Most steps of a logged trajectory: episodes are cut into pieces.'),
    ahead: share(0.9, 'Goals lie a geometric number of steps ahead, by this discount.', 0.999),
    samples: count(100_000, 'Goals that are imitated in all.'),
  },
  open: (setting, { augment, clusters, piece: most, ahead, samples, ...params }) =>
    fromLog(
      setting,
      params,
      (log) => {
        const { states, actions, draw } = setting;
        const pieces = piecesOf(log, most, draw);
        const cluster = clustersOf(pieces, states, clusters, draw);
        const places = pieces.flatMap((piece) => piece.map(({ state }, at) => ({ piece, at, state })));
        const meeting = Array.from({ length: clusters }, (): typeof places => []);
        for (const place of places) meeting[cluster[place.state]].push(place);
        const counts = filled(states * states * actions);
        for (let sample = 0; sample < samples; sample++) {
          const { piece, at } = draw.pick(places);
          const way = laterIn(piece, at, ahead, draw);
          let goal = piece[way].next;
          const others = meeting[cluster[goal]];
          if (draw.next() < augment && others.length > 0) {
            const other = draw.pick(others);
            goal = other.piece[laterIn(other.piece, other.at, ahead, draw)].next;
          }
          counts[(piece[at].state * states + goal) * actions + piece[at].action]++;
        }
        // −1 where state and goal were never imitated together
        const choice = Array.from({ length: states * states }, (_, both) =>
          largest(counts, both, actions) === 0 ? -1 : greedyAction(counts, both, actions),
        );
        // the task is told last, as the state in which the log earned most
        const goal = log.reduce((best, step) => (step.reward > best.reward ? step : best)).next;
        return { choice, goal };
      },
      ({ choice, goal }) =>
        (state) =>
          Math.max(0, choice[state * setting.states + goal]),
      ({ choice }) => ({ together: choice.filter((each) => each >= 0).length }),
    ),
});
