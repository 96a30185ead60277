/**
 * The data of a report. Compare, demo and study build sections; the renderer is independent of their domain.
 */
export interface Report {
  readonly title: string;
  readonly subtitle?: string;
  /** UTC epoch milliseconds. */
  readonly createdAt: number;
  readonly sections: readonly Section[];
}

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** A highlighted sentence: a finding, or a number no better than its baseline. */
  | { readonly kind: 'finding'; readonly text: string }
  | TableBlock
  | ChartBlock
  | SamplesBlock
  | { readonly kind: 'json'; readonly title: string; readonly value: unknown };

export interface TableBlock {
  readonly kind: 'table';
  readonly columns: readonly { readonly title: string; readonly hint?: string }[];
  readonly rows: readonly (readonly Cell[])[];
}
/** Text, or a number with its interval, drawn to scale next to the digits; `colour` is the run's own. */
export type Cell =
  | string
  | { readonly text: string; readonly colour?: number }
  | {
      readonly value: number;
      readonly interval: readonly [number, number];
      readonly range: readonly [number, number];
      readonly colour?: number;
    };

export interface ChartSeries {
  readonly name: string;
  /** Index into the palette; a run keeps its colour throughout a report. */
  readonly colour: number;
  /** A non-finite y is a gap. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
  /** Draws marks instead of a line. */
  readonly marks?: boolean;
}
export interface ChartBlock {
  readonly kind: 'chart';
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly ChartSeries[];
  /** Fixed axis limits, if the quantity has natural ones. */
  readonly yRange?: readonly [number, number];
  readonly xRange?: readonly [number, number];
  /** Draws bars instead of lines (histograms): points are (bin centre, height). */
  readonly bars?: boolean;
  readonly note?: string;
}

export interface SamplesBlock {
  readonly kind: 'samples';
  readonly prompts: readonly {
    readonly prompt: string;
    readonly answers: readonly {
      readonly name: string;
      readonly colour: number;
      readonly text: string;
      readonly right: boolean | null;
      readonly note?: string;
    }[];
  }[];
}
