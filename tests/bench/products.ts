/** The matrix products of some work, measured alone: a lower bound for any graph. */
import { median, rounded } from './figures.ts';
import { openOurs, openPeer, type Side } from './side.ts';
import { flopOf, type Product } from './sizes.ts';

/** One side's products; measured in turns, with the median of all turns for each shape. */
export class Products {
  readonly #side: Side;
  readonly #products: readonly Product[];
  readonly #turns: number[][] = [];

  private constructor(side: Side, products: readonly Product[]) {
    this.#side = side;
    this.#products = products;
  }

  static async open(side: Side, products: readonly Product[], threads: number): Promise<Products> {
    await side.ask('open', { products, threads });
    await side.ask('measure'); // the first turn of a process is slower than all later ones
    return new Products(side, products);
  }

  async turn(): Promise<void> {
    this.#turns.push(await this.#side.ask<number[]>('measure'));
  }

  /** Milliseconds of all products together, each as often as needed. */
  get ms(): number {
    return this.#sum((at) => median(this.#turns.map((turn) => turn[at])));
  }
  get lastMs(): number {
    return this.#sum((at) => this.#turns[this.#turns.length - 1][at]);
  }
  /** GFLOP/s. */
  get rate(): number {
    return rounded(this.#products.reduce((sum, product) => sum + flopOf(product), 0) / this.ms / 1e6);
  }

  #sum(msOf: (at: number) => number): number {
    return this.#products.reduce((sum, { count }, at) => sum + count * msOf(at), 0);
  }
}

const TURNS = 3;

/** GFLOP/s of products alone: ours, and the peer's if present; the sides take turns. */
export const measureRate = async (
  products: readonly Product[],
  { threads, peer }: { readonly threads: number; readonly peer: boolean },
): Promise<number[]> => {
  const sides = [openOurs('gemm', threads), ...(peer ? [openPeer('gemm', threads)] : [])];
  try {
    const measured = [];
    for (const side of sides) measured.push(await Products.open(side, products, threads));
    for (let turn = 0; turn < TURNS; turn++) for (const each of measured) await each.turn();
    return measured.map(({ rate }) => rate);
  } finally {
    for (const side of sides) await side.close();
  }
};
