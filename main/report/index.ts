import { withInterval } from '../../preload/wire/numbers.ts';
import type { Block, Cell, Report, SamplesBlock, TableBlock } from './input.ts';
import { script, scriptSource } from './script.ts';
import { style } from './style.ts';
import { chart, chartData, escapeHtml, whisker } from './svg.ts';

/** Formats a rate or score to the given digits, without a leading zero: `.634`. */
export const digits = (value: number | null | undefined, places = 3): string => {
  if (value === null || value === undefined) return '–';
  if (!Number.isFinite(value)) return String(value);
  return value.toFixed(places).replace(/^(-?)0\./, '$1.');
};

/**
 * Renders a report as one self-contained HTML file without links or web fonts; its only script, which its policy
 * names by hash, lets charts be read and zoomed. Escapes text of models and datasets.
 */
export function renderReport(report: Report): string {
  const when = new Date(report.createdAt).toISOString().replace('T', ' ').slice(0, 16);
  const sections = report.sections
    .map(
      (section) =>
        `<section><h2>${escapeHtml(section.title)}</h2>${section.blocks.map(block).join('\n')}</section>`,
    )
    .join('\n');
  const subtitle = report.subtitle ? `${escapeHtml(report.subtitle)} · ` : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src ${scriptSource}">
<title>${escapeHtml(report.title)}</title><style>${style}</style></head>
<body><main><header><h1>${escapeHtml(report.title)}</h1><p>${subtitle}${when} UTC · Whetstone</p></header>
${sections}
</main><script>${script}</script></body></html>
`;
}

function block(b: Block): string {
  switch (b.kind) {
    case 'text':
      return `<p>${escapeHtml(b.text)}</p>`;
    case 'finding':
      return `<p class="finding">${escapeHtml(b.text)}</p>`;
    case 'table':
      return table(b);
    case 'chart':
      return (
        `<figure data-chart="${escapeHtml(chartData(b))}"><figcaption>${escapeHtml(b.title)}</figcaption>` +
        chart(b) +
        `${b.note ? `<p class="note">${escapeHtml(b.note)}</p>` : ''}${data(b)}</figure>`
      );
    case 'samples':
      return samples(b);
    case 'json':
      return `<details><summary>${escapeHtml(b.title)}</summary><pre>${escapeHtml(JSON.stringify(b.value, null, 2))}</pre></details>`;
  }
}

function table({ columns, rows }: TableBlock): string {
  const head = columns
    .map((c) => `<th${c.hint ? ` title="${escapeHtml(c.hint)}"` : ''}>${escapeHtml(c.title)}</th>`)
    .join('');
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('');
  const inside = `<thead><tr>${head}</tr></thead><tbody>${body}</tbody>`;
  return `<div class="scroll"><table>${inside}</table></div>`;
}

function cell(c: Cell): string {
  if (typeof c === 'string') return `<td>${escapeHtml(c)}</td>`;
  if ('text' in c)
    return `<td${c.colour === undefined ? '' : ` class="run c${c.colour % 8}"`}>${escapeHtml(c.text)}</td>`;
  const [value, bounds] = withInterval(c.value, c.interval).split(' [');
  return (
    `<td class="interval">${whisker(c.value, c.interval, c.range, c.colour ?? 0)}<span>${value} ` +
    `<small>[${bounds}</small></span></td>`
  );
}

/** The chart's numbers as a collapsed table. */
function data({ x, y, series }: Extract<Block, { kind: 'chart' }>): string {
  const rows = series.flatMap((s) =>
    s.points.map(
      ([px, py]) =>
        `<tr><td>${escapeHtml(s.name)}</td><td>${digits(px, 4)}</td><td>${digits(py, 4)}</td></tr>`,
    ),
  );
  if (rows.length > 2000) return '';
  const head = `<tr><th>Series</th><th>${escapeHtml(x)}</th><th>${escapeHtml(y)}</th></tr>`;
  const inside = `<thead>${head}</thead><tbody>${rows.join('')}</tbody>`;
  return `<details><summary>Data</summary><table>${inside}</table></details>`;
}

/** Caption of an answer: the run's name, the verdict, and a note. */
const whoOf = ({ name, right, note }: SamplesBlock['prompts'][number]['answers'][number]): string => {
  const verdict = right === null ? '' : right ? ' · right' : ' · wrong';
  return `${escapeHtml(name)}${verdict}${note ? ` · ${escapeHtml(note)}` : ''}`;
};

const samples = ({ prompts }: SamplesBlock): string =>
  prompts
    .map(
      ({ prompt, answers }) =>
        `<article><h3><code>${escapeHtml(prompt)}</code></h3><div class="answers">${answers
          .map(
            (a) =>
              `<div class="answer"><p class="who c${a.colour % 8}">${whoOf(a)}</p>` +
              `<pre>${escapeHtml(a.text)}</pre></div>`,
          )
          .join('')}</div></article>`,
    )
    .join('');
