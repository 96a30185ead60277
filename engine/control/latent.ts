import { directionOf, normals } from '../random/random.ts';
import type { Latent } from '../schema/model.ts';
import type { Copies } from './copies.ts';

/** The latent of an episode: a function of (seed, copy, episode), whatever else is drawn. */
const drawn = ({ kind, size }: Latent, seed: number, copy: number, episode: number): Float32Array => {
  const key = [seed, 'control-latent', copy, episode] as const;
  if (kind === 'sphere') return directionOf(size, ...key);
  const values = new Float32Array(size);
  normals(values, ...key);
  return values.map((x) => Math.sign(x) * Math.sqrt(Math.abs(x)));
};

/**
 * Latents of copies, each of which keeps its own for an episode; without one, nothing is read behind
 * observations.
 */
export class Latents {
  readonly size: number;
  private readonly copies: Copies;
  private readonly latent: Latent | undefined;
  private readonly seed: number;
  private readonly own: Float32Array[];

  /** Those of the episodes that the copies are in. */
  constructor(copies: Copies, latent: Latent | undefined, seed: number) {
    this.copies = copies;
    this.latent = latent;
    this.seed = seed;
    this.size = latent?.size ?? 0;
    this.own = Array.from({ length: copies.count }, (_, copy) => this.ofEpisode(copy));
  }

  of(copy: number): Float32Array {
    return this.own[copy];
  }

  /** Draws another one for the episode that a copy has begun. */
  begin(copy: number): void {
    this.own[copy] = this.ofEpisode(copy);
  }

  /**
   * [copies × (O + size)]: observations [copies × O], each with the copy's latent behind it; a copy of them.
   */
  behind(observed: Float32Array): Float32Array {
    if (this.size === 0) return observed.slice();
    const width = observed.length / this.copies.count;
    const all = new Float32Array(observed.length + this.copies.count * this.size);
    this.own.forEach((latent, copy) => {
      all.set(observed.subarray(copy * width, (copy + 1) * width), copy * (width + this.size));
      all.set(latent, copy * (width + this.size) + width);
    });
    return all;
  }

  private ofEpisode(copy: number): Float32Array {
    return this.latent
      ? drawn(this.latent, this.seed, copy, this.copies.episodeOf(copy))
      : new Float32Array(0);
  }
}
