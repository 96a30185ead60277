/** Sizes of the drawing, in pixels. */
export const box = { width: 180, height: 46, acrossGap: 44, downGap: 14 };

export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** A thing in the drawing: the corner of its box, and its column. */
export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

export interface Layout {
  readonly nodes: readonly Placed[];
  /** SVG paths of the edges, in their order. */
  readonly paths: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Passes over the columns that reduce crossings, and that move boxes towards their neighbours. */
const passes = 8;

/**
 * Columns from left to right: each edge leads to a column further right (longest path). A thing without origin
 * goes next to the first that was made from it. An edge that closes a cycle is ignored.
 */
export function layersOf(count: number, edges: readonly Edge[]): number[] {
  const children = Array.from({ length: count }, (): number[] => []);
  for (const { from, to } of edges) children[from].push(to);
  const order: number[] = [];
  const state = new Uint8Array(count);
  const back = new Set<string>();
  const visit = (node: number): void => {
    state[node] = 1;
    for (const child of children[node]) {
      if (state[child] === 1) back.add(`${node} ${child}`);
      else if (state[child] === 0) visit(child);
    }
    state[node] = 2;
    order.push(node);
  };
  for (let node = 0; node < count; node += 1) if (state[node] === 0) visit(node);
  const ahead = (node: number): number[] => children[node].filter((child) => !back.has(`${node} ${child}`));
  const layers = new Array<number>(count).fill(0);
  const hasOrigin = new Uint8Array(count);
  for (const node of order.toReversed())
    for (const child of ahead(node)) {
      layers[child] = Math.max(layers[child], layers[node] + 1);
      hasOrigin[child] = 1;
    }
  for (const node of order) {
    const next = ahead(node);
    if (hasOrigin[node] === 0 && next.length > 0)
      layers[node] = Math.min(...next.map((child) => layers[child])) - 1;
  }
  return layers;
}

/** A box, or a bend of an edge that passes a column. */
interface Slot {
  readonly layer: number;
  readonly isBend: boolean;
  readonly left: number[];
  readonly right: number[];
  /** Upper edge. */
  y: number;
}

const heightOf = ({ isBend }: Slot): number => (isBend ? 0 : box.height);

/** Places things of a directed graph in columns, without overlaps; the same graph gives the same drawing. */
export function layout(count: number, edges: readonly Edge[]): Layout {
  const layers = layersOf(count, edges);
  const forward = edges.map(({ from, to }) => layers[from] < layers[to]);
  const slots: Slot[] = layers.map((layer) => ({ layer, isBend: false, left: [], right: [], y: 0 }));
  const routes = edges.map(({ from, to }, at) => {
    const route = [from];
    if (forward[at])
      for (let layer = layers[from] + 1; layer < layers[to]; layer += 1)
        route.push(slots.push({ layer, isBend: true, left: [], right: [], y: 0 }) - 1);
    route.push(to);
    if (forward[at])
      for (const [step, slot] of route.entries()) {
        if (step > 0) slots[slot].left.push(route[step - 1]);
        if (step + 1 < route.length) slots[slot].right.push(route[step + 1]);
      }
    return route;
  });
  const columns = Array.from({ length: Math.max(0, ...layers) + 1 }, (_none, layer) =>
    slots.flatMap((slot, at) => (slot.layer === layer ? [at] : [])),
  );
  order(columns, slots);
  settle(columns, slots);
  const nodes = layers.map((layer, at) => ({
    x: layer * (box.width + box.acrossGap),
    y: slots[at].y,
    layer,
  }));
  return {
    nodes,
    paths: routes.map((route) => pathOf(route.map((at) => slots[at]))),
    width: columns.length * (box.width + box.acrossGap) - box.acrossGap,
    height: Math.max(0, ...slots.map((slot) => slot.y + heightOf(slot))),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sorts the columns by the mean place of their neighbours, to and fro (Sugiyama et al., 1981). */
function order(columns: number[][], slots: readonly Slot[]): void {
  const place = new Array<number>(slots.length).fill(0);
  const number = (column: readonly number[]): void => {
    for (const [at, slot] of column.entries()) place[slot] = at;
  };
  for (const column of columns) number(column);
  for (let pass = 0; pass < passes; pass += 1) {
    const side = pass % 2 === 0 ? 'left' : 'right';
    for (const column of side === 'left' ? columns : columns.toReversed()) {
      const wish = new Map(
        column.map((slot, at) => {
          const near = slots[slot][side];
          return [slot, near.length > 0 ? mean(near.map((each) => place[each])) : at];
        }),
      );
      column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || place[a] - place[b]);
      number(column);
    }
  }
}

const middle = (slot: Slot): number => slot.y + heightOf(slot) / 2;

/** Moves the slots of each column towards the middle of their neighbours, in their order and apart. */
function settle(columns: readonly (readonly number[])[], slots: Slot[]): void {
  for (const column of columns) place(column, slots, () => undefined);
  for (let pass = 0; pass < passes; pass += 1)
    for (const column of pass % 2 === 0 ? columns : columns.toReversed())
      place(column, slots, (slot) => {
        const near = [...slot.left, ...slot.right].map((each) => middle(slots[each]));
        return near.length > 0 ? mean(near) - heightOf(slot) / 2 : undefined;
      });
  const top = slots.reduce((least, { y }) => Math.min(least, y), Infinity);
  for (const slot of slots) slot.y -= top;
}

/**
 * Gives the slots of a column their wished places as far as they keep their order and the gap: neighbours that
 * would overlap form a block at the mean of their wishes (pool adjacent violators).
 */
function place(column: readonly number[], slots: Slot[], wishOf: (slot: Slot) => number | undefined): void {
  const offsets: number[] = [];
  let offset = 0;
  for (const at of column) {
    offsets.push(offset);
    offset += heightOf(slots[at]) + box.downGap;
  }
  const blocks: { first: number; sum: number; n: number }[] = [];
  for (const [position, at] of column.entries()) {
    const wish = wishOf(slots[at]) ?? slots[at].y;
    blocks.push({ first: position, sum: wish - offsets[position], n: 1 });
    for (let last = blocks.length - 1; last > 0; last -= 1) {
      const [above, below] = [blocks[last - 1], blocks[last]];
      if (above.sum / above.n < below.sum / below.n) break;
      above.sum += below.sum;
      above.n += below.n;
      blocks.pop();
    }
  }
  for (const { first, sum, n } of blocks)
    for (let position = first; position < first + n; position += 1)
      slots[column[position]].y = Math.round(sum / n + offsets[position]);
}

/** A curve through the bends of an edge, from the right side of its origin to the left side of its end. */
function pathOf(route: readonly Slot[]): string {
  const across = box.width + box.acrossGap;
  const points = route.flatMap((slot, at) => {
    const left = slot.layer * across;
    const y = middle(slot);
    if (at === 0) return [[left + box.width, y]];
    if (at === route.length - 1) return [[left, y]];
    return [
      [left, y],
      [left + box.width, y],
    ];
  });
  return points
    .map(([x, y], at) => {
      if (at === 0) return `M${x} ${y}`;
      const [fromX, fromY] = points[at - 1];
      const half = (fromX + x) / 2;
      return y === fromY ? `L${x} ${y}` : `C${half} ${fromY} ${half} ${y} ${x} ${y}`;
    })
    .join('');
}
