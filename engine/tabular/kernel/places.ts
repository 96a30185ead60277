/** A graph of places grown online: a place for each neighbourhood of states, and ways between places. */
import { filled } from './tables.ts';

/** Plain data, part of an agent’s memory. */
export interface Places {
  /** [places]: the state that stands for it. */
  readonly states: number[];
  /** [places]: episodes that were sent there. */
  readonly sent: number[];
  /** [places]: places that were walked to from it. */
  readonly ways: number[][];
  /** [states]: place that it belongs to; −1 for one never met. */
  readonly placeOf: number[];
  /** Steps since the walk was last at a place itself. */
  away: number;
}

export const newPlaces = (states: number, start: number): Places => {
  const placeOf = filled(states, -1);
  placeOf[start] = 0;
  return { states: [start], sent: [0], ways: [[]], placeOf, away: 0 };
};

/**
 * Enters a step in the graph: a state first met within `apart` steps of a place belongs to it, one farther
 * away becomes a place. Returns true for a new place.
 */
export const walked = (places: Places, state: number, next: number, apart: number): boolean => {
  const { placeOf, states, ways, sent } = places;
  places.away++;
  const isNew = placeOf[next] < 0 && places.away > apart;
  if (isNew) {
    placeOf[next] = states.push(next) - 1;
    ways.push([]);
    sent.push(0);
  } else if (placeOf[next] < 0) placeOf[next] = placeOf[state];
  const [from, to] = [placeOf[state], placeOf[next]];
  if (from !== to && !ways[from].includes(to)) ways[from].push(to);
  if (states[to] === next) places.away = 0;
  return isNew;
};

/** The next place on a shortest way of the graph; `to` itself if none is known. */
export const nextPlace = ({ ways }: Pick<Places, 'ways'>, from: number, to: number): number => {
  const before = new Map([[from, from]]);
  const queue = [from];
  for (const place of queue)
    for (const next of ways[place])
      if (!before.has(next)) {
        before.set(next, place);
        queue.push(next);
      }
  let place = to;
  if (!before.has(to) || from === to) return to;
  while (before.get(place) !== from) place = before.get(place)!;
  return place;
};
