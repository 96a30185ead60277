/** Steps a second of control worlds, all copies together, against Gymnasium's vectorised ones. */
import { controlWorlds, Copies, type ControlWorld } from '../../engine/control/index.ts';
import { median, processor, rounded, say } from './figures.ts';
import { openPeer, peerMissing } from './side.ts';

export interface ControlFigures {
  readonly world: string;
  readonly copies: number;
  /** Steps of one copy, in a second. */
  readonly ours: number;
  readonly peer: number | null;
  /** Our steps a second ÷ the peer's. */
  readonly ratio: number | null;
}

/** Gymnasium's worlds with the same dynamics. */
const peers: { readonly [world: string]: string } = {
  'control/cart-pole': 'CartPole-v1',
  'control/pendulum': 'Pendulum-v1',
  'control/mountain-car': 'MountainCar-v0',
  'control/acrobot': 'Acrobot-v1',
};

/** Batches of actions that are taken in turn: choices, or numbers within bounds. */
const actionsOf = ({ actions }: ControlWorld, copies: number): Float64Array[] =>
  Array.from({ length: 97 }, (_, t) =>
    Float64Array.from({ length: copies * (actions.kind === 'choices' ? 1 : actions.low.length) }, (__, k) =>
      actions.kind === 'choices' ? (7 * t + 3 * k) % actions.names.length : ((7 * t + 3 * k) % 5) / 2 - 1,
    ),
  );

/** Measures in turns with the peer, both on one thread; the first turn warms up and does not count. */
export const measureControl = async (options: {
  readonly copies: number;
  readonly pairs: number;
  readonly isQuick: boolean;
}): Promise<ControlFigures[]> => {
  const { copies, pairs, isQuick } = options;
  const missing = peerMissing('gymnasium', 'numpy');
  if (missing !== undefined) say(`The comparison was skipped: ${missing}`);
  const steps = isQuick ? 100 : 10_000;
  const figures: ControlFigures[] = [];
  for (const world of controlWorlds) {
    const own = new Copies(world, copies, 1);
    const actions = actionsOf(world, copies);
    const name = missing === undefined ? peers[world.id] : undefined;
    const side = name === undefined ? undefined : openPeer('control', 1);
    const [ours, theirs]: [number[], number[]] = [[], []];
    try {
      await side?.ask('open', { name, copies });
      for (let pair = 0; pair <= pairs; pair++) {
        const started = performance.now();
        for (let t = 0; t < steps; t++) own.step(actions[t % actions.length]);
        const seconds = (performance.now() - started) / 1000;
        // a tenth of the steps: a turn of the peer takes longer
        const peerSteps = Math.ceil(steps / 10);
        const peer = await side?.ask<{ readonly seconds: number }>('steps', { steps: peerSteps });
        if (pair === 0) continue;
        ours.push((steps * copies) / seconds);
        if (peer) theirs.push((peerSteps * copies) / peer.seconds);
      }
    } finally {
      await side?.close();
    }
    const rate = rounded(median(ours));
    const peer = theirs.length > 0 ? rounded(median(theirs)) : null;
    figures.push({
      world: world.id,
      copies,
      ours: rate,
      peer,
      ratio: peer === null ? null : rounded(rate / peer, 3),
    });
    say(`${world.id}: ${rate} steps a second${peer === null ? '' : `, Gymnasium ${peer}`}`);
  }
  say(`${processor()}, one thread, ${copies} copies`);
  return figures;
};
