/**
 * What a report is made of. Whoever writes one (compare, demo, study) builds sections; the renderer knows no
 * domain.
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
  /** A sentence that must be seen: something found, or a number that is no better than its baseline. */
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
/** Text; or a number with its interval, drawn to scale beside the digits; `colour` is the run's own. */
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
  /** Index into the palette: one run keeps one colour throughout a report. */
  readonly colour: number;
  /** Gaps where y is not finite. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
  /** Marks instead of a line. */
  readonly marks?: boolean;
}
export interface ChartBlock {
  readonly kind: 'chart';
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly ChartSeries[];
  /** Fixed limits where the data's question gives them. */
  readonly yRange?: readonly [number, number];
  readonly xRange?: readonly [number, number];
  /** Bars instead of lines (histograms): points are (bin centre, height). */
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
