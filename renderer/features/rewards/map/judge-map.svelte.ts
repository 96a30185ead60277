import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { RegionMark } from '../../../../engine/schema/inspected-pair.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { ShownPair } from '../../../../preload/contract/inspections.ts';
import type { JudgeMap, NearAnswer, PairSide } from '../../../../preload/contract/judge-maps.ts';
import type { PairsState } from '../pairs.svelte.ts';
import { inRegion, type Area } from '../../../charts/cloud/point-cloud.ts';
import { areaOf, faultOf, isEmpty, noBounds, type Bounds } from '../../../charts/cloud/region.ts';

/** An answer on the map. */
export interface MapPoint {
  readonly position: number;
  readonly side: PairSide;
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));
const boundOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** The bounds of a region as they are typed. */
export const boundsFrom = ({ x, y }: Pick<RegionMark, 'x' | 'y'>): Bounds => ({
  x: [textOf(x[0]), textOf(x[1])],
  y: [textOf(y[0]), textOf(y[1])],
});

/** The region of typed bounds; null for none, or wrong ones. */
export const regionOf = (bounds: Bounds): RegionMark | null => {
  if (isEmpty(bounds) || faultOf(bounds) !== null) return null;
  const { x, y } = bounds;
  return { kind: 'region', x: [boundOf(x[0]), boundOf(x[1])], y: [boundOf(y[0]), boundOf(y[1])] };
};

/** The map of a judge's held-out answers: its computation, the region that is chosen, and what is near an answer. */
export class JudgeMapState {
  /** The stored map; null without one, undefined until it is known. */
  map = $state.raw<JudgeMap | null | undefined>(undefined);
  /** Share of the computation that is done; null while none runs. */
  share = $state<number | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  bounds = $state.raw<Bounds>(noBounds);
  /** The part that is shown; null: all of it. */
  zoom = $state.raw<Area | null>(null);
  /** The pair of the chosen answer. */
  pair = $state.raw<ShownPair | null>(null);
  near = $state.raw<readonly NearAnswer[] | null>(null);
  nearError = $state.raw<WhetstoneError | null>(null);
  private readonly pairs: Pick<PairsState, 'runId' | 'read'>;
  private readonly port: WhetstoneClient['judgeMaps'];
  private close: (() => void) | null = null;
  private asked = '';

  constructor(pairs: Pick<PairsState, 'runId' | 'read'>, port: WhetstoneClient['judgeMaps']) {
    [this.pairs, this.port] = [pairs, port];
  }

  get runId(): string {
    return this.pairs.runId;
  }

  async load(): Promise<void> {
    try {
      this.map = await this.port.stored({ runId: this.runId });
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Starts the computation; a second request waits for the first. */
  compute(): void {
    if (this.close) return;
    this.error = null;
    this.share = 0;
    const end = (error?: unknown): void => {
      this.close = null;
      this.share = null;
      if (error !== undefined && error !== null) {
        this.error = WhetstoneError.from(error);
        return;
      }
      [this.zoom, this.bounds, this.asked] = [null, noBounds, ''];
      void this.load();
    };
    this.close = this.port.compute({ runId: this.runId }, ({ share }) => (this.share = share), end);
  }

  cancel(): void {
    this.close?.();
    this.close = null;
    this.share = null;
  }

  /** All places; null without any. */
  get whole(): Area | null {
    if (!this.map || this.map.x.length === 0) return null;
    const range = (values: Float64Array): [number, number] => [
      values.reduce((least, value) => Math.min(least, value), Infinity),
      values.reduce((most, value) => Math.max(most, value), -Infinity),
    ];
    return { x: range(this.map.x), y: range(this.map.y) };
  }
  get region(): Area | null {
    return this.whole && areaOf(this.bounds, this.whole);
  }
  /** Pairs with an answer in the region. */
  get inside(): number {
    const { map, region } = this;
    if (!map || !region) return 0;
    return map.positions.reduce(
      (found, _position, pair) =>
        found + Number([2 * pair, 2 * pair + 1].some((at) => inRegion(region, map.x[at], map.y[at]))),
      0,
    );
  }

  /** The answer at a point, by the point's index. */
  answerAt(point: number): MapPoint | null {
    const position = this.map?.positions.at(point >> 1);
    return position === undefined ? null : { position, side: point % 2 === 0 ? 'chosen' : 'rejected' };
  }
  /** The index of an answer's point; null for one that is not on the map. */
  pointOf({ position, side }: MapPoint): number | null {
    const pair = this.map?.positions.indexOf(position) ?? -1;
    return pair < 0 ? null : 2 * pair + (side === 'chosen' ? 0 : 1);
  }

  /** Reads what is near an answer; nothing for the one that is shown. */
  async look(point: MapPoint | null): Promise<void> {
    const key = point ? `${point.position} ${point.side} ${this.map?.at ?? ''}` : '';
    if (key === this.asked) return;
    this.asked = key;
    this.near = this.pair = this.nearError = null;
    if (!point) return;
    try {
      const asked = { runId: this.runId, ...point };
      const [near, pair] = await Promise.all([this.port.near(asked), this.pairs.read(point.position)]);
      if (key === this.asked) [this.near, this.pair] = [near, pair];
    } catch (error) {
      if (key === this.asked) this.nearError = WhetstoneError.from(error);
    }
  }
}
