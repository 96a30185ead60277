import { SvelteMap } from 'svelte/reactivity';
import { WhetstoneError, type ErrorFacts } from '../../../../engine/common/errors.ts';
import type { RowMap } from '../../../../preload/contract/map.ts';
import type { Facet, QueryRow } from '../../../../preload/contract/rows.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { Area } from '../../../charts/cloud/point-cloud.ts';
import { areaOf, boundsOf, faultOf, isEmpty, noBounds, type Bounds } from '../../../charts/cloud/region.ts';
import { usualColour, withRegion } from './map-text.ts';

/** Rows whose texts are kept for the pointer. */
const MOST_KEPT = 200;

/** The map of one dataset: its drawn rows, its colour, the region that is chosen, and the part that is shown. */
export class RowMapState {
  map = $state.raw<RowMap | null>(null);
  /** The column that colours it; empty: one colour. Null until one is found or chosen. */
  colour = $state<string | null>(null);
  bounds = $state.raw<Bounds>(noBounds);
  /** The part that is shown; null: all of it. */
  zoom = $state.raw<Area | null>(null);
  /** Rows in the region; null while they are counted. */
  inside = $state<number | null>(null);
  fault = $state.raw<ErrorFacts | null>(null);
  /** The row under the pointer. */
  hovered = $state.raw<QueryRow | null>(null);
  private readonly client: WhetstoneClient['rows'];
  private readonly id: string;
  private readonly texts = new SvelteMap<number, QueryRow>();
  private turn = 0;
  private counting = 0;
  private hovering = 0;

  constructor(client: WhetstoneClient['rows'], id: string) {
    [this.client, this.id] = [client, id];
  }

  /** Reads the map for a query; a newer reading takes the place of an older one. */
  async load(query: string, facets: readonly Facet[] | null): Promise<void> {
    const turn = (this.turn += 1);
    if (this.colour === null && facets) this.colour = usualColour(facets);
    const colour = this.colour ?? '';
    try {
      const read = (by: string) =>
        this.client.map({ id: this.id, query, name: this.map?.name ?? null, colour: by || null });
      // a column of the last reading may have been undone since
      const map = await read(colour).catch((error: unknown) => {
        if (colour === '' || WhetstoneError.from(error).where !== colour) throw error;
        if (turn === this.turn) this.colour = null;
        return read('');
      });
      if (turn !== this.turn) return;
      [this.map, this.fault] = [map, null];
      this.texts.clear();
      void this.count(query);
    } catch (error) {
      if (turn === this.turn) this.fault = WhetstoneError.from(error).facts;
    }
  }

  /** All places; null without any. */
  get whole(): Area | null {
    const { x, y } = this.map ?? {};
    return x && y ? { x, y } : null;
  }
  get region(): Area | null {
    return this.whole && areaOf(this.bounds, this.whole);
  }
  get boundsFault(): string | null {
    return faultOf(this.bounds);
  }
  get hasRegion(): boolean {
    return !isEmpty(this.bounds) && this.boundsFault === null;
  }

  choose(region: Area | null, query: string): void {
    this.type(region ? boundsOf(region) : noBounds, query);
  }

  type(bounds: Bounds, query: string): void {
    this.bounds = bounds;
    void this.count(query);
  }

  /** The query for the rows in the region, of those that match. */
  queryOf(query: string): string {
    return this.map?.name ? withRegion(query, this.map.name, this.bounds) : query;
  }

  /** Counts the rows in the region: all of them, not the drawn ones alone. */
  private async count(query: string): Promise<void> {
    const turn = (this.counting += 1);
    this.inside = null;
    if (!this.hasRegion) return;
    try {
      const { total } = await this.client.facets({ id: this.id, query: this.queryOf(query) });
      if (turn === this.counting) this.inside = total;
    } catch (error) {
      if (turn === this.counting) this.fault = WhetstoneError.from(error).facts;
    }
  }

  /** Reads the row at a point, unless the pointer has moved on. */
  async hover(point: number | null): Promise<void> {
    const turn = (this.hovering += 1);
    const row = point === null ? undefined : this.map?.points.row[point];
    this.hovered = row === undefined ? null : (this.texts.get(row) ?? null);
    if (row === undefined || this.hovered) return;
    const found = await this.read(row).catch(() => null);
    if (!found) return;
    if (this.texts.size >= MOST_KEPT) this.texts.clear();
    this.texts.set(row, found);
    if (turn === this.hovering) this.hovered = found;
  }

  /** A row, excluded or not; null if it is gone. */
  async read(row: number): Promise<QueryRow | null> {
    const query = `row=${row} (is:excluded OR is:included)`;
    const { rows } = await this.client.page({ id: this.id, query, sort: null, offset: 0, limit: 1 });
    return rows.at(0) ?? null;
  }
}
