/** The parts of plotly.js that `bundle.ts` is made of; its own types cover the complete bundle only. */
declare module 'plotly.js/lib/core' {
  /** A point under the pointer or in a selection. */
  export interface PlotlyPoint {
    readonly customdata?: unknown;
  }
  export interface PlotlyEvent {
    readonly points?: readonly PlotlyPoint[];
  }
  export interface PlotlyElement extends HTMLElement {
    on(
      name: 'plotly_click' | 'plotly_selected' | 'plotly_deselect' | 'plotly_restyle',
      handle: (event?: PlotlyEvent) => void,
    ): void;
    readonly data?: readonly Readonly<Record<string, unknown>>[];
  }
  type Values = Readonly<Record<string, unknown>>;
  interface Figure {
    readonly data: readonly Values[];
    readonly layout: Values;
    readonly config: Values;
  }
  interface Picture {
    readonly format: 'png' | 'svg';
    readonly width: number;
    readonly height: number;
    readonly scale: number;
  }
  interface Plotly {
    register(modules: readonly object[]): void;
    react(element: HTMLElement, figure: Figure): Promise<PlotlyElement>;
    toImage(figure: Figure, picture: Picture): Promise<string>;
    purge(element: HTMLElement): void;
    readonly Plots: { resize(element: HTMLElement): Promise<unknown> };
  }
  const plotly: Plotly;
  export default plotly;
}
declare module 'plotly.js/lib/bar' {
  const trace: object;
  export default trace;
}
declare module 'plotly.js/lib/box' {
  const trace: object;
  export default trace;
}
declare module 'plotly.js/lib/heatmap' {
  const trace: object;
  export default trace;
}
declare module 'plotly.js/lib/violin' {
  const trace: object;
  export default trace;
}
declare module 'plotly.js/src/traces/scattergl/strict' {
  const trace: object;
  export default trace;
}
declare module 'plotly.js/src/traces/parcoords/strict' {
  const trace: object;
  export default trace;
}
