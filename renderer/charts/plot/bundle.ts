/**
 * The traces of plotly.js that the charts use, loaded when the first of them is shown. The `strict` variants
 * compile their shaders ahead, since the content security policy allows no `eval`.
 */
import plotly from 'plotly.js/lib/core';
import bar from 'plotly.js/lib/bar';
import box from 'plotly.js/lib/box';
import heatmap from 'plotly.js/lib/heatmap';
import violin from 'plotly.js/lib/violin';
import parcoords from 'plotly.js/src/traces/parcoords/strict';
import scattergl from 'plotly.js/src/traces/scattergl/strict';

plotly.register([bar, box, heatmap, violin, parcoords, scattergl]);

export { plotly };
