import { mkdtemp, rm, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processor, rounded, say } from './figures.ts';
import { openOurs, openPeer, peerMissing, type Side } from './side.ts';

/** Seconds from the call to stored curves; memory in MB without what was loaded before. */
interface Figures {
  readonly mb: number;
  readonly seconds: number;
  readonly peakMb: number | null;
}

export interface LogFigures {
  readonly points: number;
  readonly tensorboard: Figures;
  readonly wandb: Figures;
  readonly peerSeconds: number | null;
  readonly peerPeakMb: number | null;
  /** The time of TensorBoard's own reader ÷ ours, which also stores the points. */
  readonly ratio: number | null;
}

interface Read {
  readonly seconds: number;
  readonly peakMb: number | null;
  readonly points: number;
}

const asked = async <T>(side: Side, call: string, args: object): Promise<T> => {
  try {
    return await side.ask<T>(call, args);
  } finally {
    await side.close();
  }
};

const sizeMb = async (folder: string): Promise<number> => {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return rounded(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
};

/** Imports a run of so many points from TensorBoard's and from W&B's files, each in a process of its own. */
export async function measureLogs({ points }: { readonly points: number }): Promise<LogFigures> {
  const missing = peerMissing('tensorboard');
  say(missing ? `The comparison was skipped: ${missing}` : `${processor()}; the peer is TensorBoard`);
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
  try {
    await asked(openOurs('logs-side', 1), 'make', { points, folder });
    const read = async (format: string): Promise<Figures> => {
      const path = join(folder, format);
      const found = await asked<Read>(openOurs('logs-side', 1), 'read', {
        path,
        folder: join(folder, `to-${format}`),
      });
      if (found.points !== points)
        throw new Error(`${format}: ${found.points} of ${points} points were read.`);
      const figures = {
        mb: await sizeMb(path),
        seconds: rounded(found.seconds),
        peakMb: found.peakMb === null ? null : rounded(found.peakMb),
      };
      say(`${format}: ${points} points, ${figures.mb} MB in ${figures.seconds} s, peak ${figures.peakMb} MB`);
      return figures;
    };
    const [tensorboard, wandb] = [await read('tensorboard'), await read('wandb')];
    const peer =
      missing === undefined
        ? await asked<Read>(openPeer('logs', 1), 'read', { path: join(folder, 'tensorboard', 'made') })
        : null;
    if (peer) say(`TensorBoard's reader: ${peer.points} points in ${rounded(peer.seconds)} s`);
    return {
      points,
      tensorboard,
      wandb,
      peerSeconds: peer && rounded(peer.seconds),
      peerPeakMb: peer?.peakMb == null ? null : rounded(peer.peakMb),
      ratio: peer && rounded(peer.seconds / tensorboard.seconds),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
