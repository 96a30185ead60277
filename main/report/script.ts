import { createHash } from 'node:crypto';

/**
 * Script of a report, over charts that are complete without it: hover and arrow keys read the nearest points, a
 * drag zooms the x axis (double-click or 0: all of it), and names hide and show a run in all charts. It is plain
 * JavaScript in a string, since a bundler would rewrite a function; `tests/app/report.spec.ts` runs it.
 */
export const script = `
(() => {
  'use strict';
  const hidden = new Set();
  const shown = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : 'not a number');
  const element = (parent, name, attributes) => {
    const made = document.createElementNS(parent.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return parent.appendChild(made);
  };
  const ticksOf = (low, high, count) => {
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
    const found = [];
    for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at += 1) found.push(at * step);
    return found;
  };

  const charts = [...document.querySelectorAll('figure[data-chart]')].map((figure, nth) => {
    const { frame, x: xTitle, y: yTitle, domain, isFixed, bars, series } = JSON.parse(figure.dataset.chart);
    const svg = figure.querySelector('svg');
    const groups = [...svg.querySelectorAll('g[data-series]')];
    const axes = svg.querySelector('g.axes');
    const { top, bottom, left, right } = frame;
    // what lies outside a zoomed part is not drawn over axes and names; a dot at the edge is whole
    const clip = element(svg, 'clipPath', { id: 'plot-' + nth });
    element(clip, 'rect', { x: left - 3, y: top - 3, width: right - left + 6, height: bottom - top + 6 });
    for (const group of groups) group.setAttribute('clip-path', 'url(#plot-' + nth + ')');
    const rule = element(svg, 'line', { class: 'rule', y1: top, y2: bottom, visibility: 'hidden' });
    const brush = element(svg, 'rect', { class: 'brush', y: top, height: bottom - top, width: 0 });
    const tip = figure.appendChild(document.createElement('p'));
    tip.className = 'tip';
    tip.setAttribute('role', 'status');
    let [x, y] = [domain.x, domain.y];
    let [from, place] = [null, null];
    const across = (v) => frame.left + ((v - x[0]) / (x[1] - x[0])) * (frame.right - frame.left);
    const up = (v) => frame.bottom - ((v - y[0]) / (y[1] - y[0])) * (frame.bottom - frame.top);
    const back = (px) => x[0] + ((px - frame.left) / (frame.right - frame.left)) * (x[1] - x[0]);
    const pixel = (event) => {
      const box = svg.getBoundingClientRect();
      const px = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      return Math.min(frame.right, Math.max(frame.left, px));
    };
    const isIn = ([px]) => px >= x[0] && px <= x[1];
    const visible = () => series.filter(({ name }) => !hidden.has(name));

    const draw = () => {
      groups.forEach((group, at) => {
        const { name, points } = series[at];
        group.setAttribute('visibility', hidden.has(name) ? 'hidden' : 'visible');
        const dots = [...group.querySelectorAll('circle')];
        const finite = points.filter(([, v]) => v !== null);
        dots.forEach((dot, i) => {
          dot.setAttribute('cx', across(finite[i][0]));
          dot.setAttribute('cy', up(finite[i][1]));
        });
        const path = group.querySelector('path');
        if (!path) return;
        let pen = 'M';
        path.setAttribute(
          'd',
          points.map(([px, v]) => {
            if (v === null) return (pen = 'M') && '';
            const step = pen + across(px).toFixed(1) + ' ' + up(v).toFixed(1);
            pen = 'L';
            return step;
          }).join(''),
        );
      });
      axes.replaceChildren();
      for (const value of ticksOf(y[0], y[1], 5)) {
        const height = up(value);
        element(axes, 'line', { class: 'grid', x1: frame.left, x2: frame.right, y1: height, y2: height });
        const at = { class: 'tick', 'text-anchor': 'end', x: frame.left - 6, y: height + 4 };
        element(axes, 'text', at).textContent = shown(value);
      }
      for (const value of ticksOf(x[0], x[1], 6)) {
        const at = { class: 'tick', 'text-anchor': 'middle', x: across(value), y: frame.bottom + 16 };
        element(axes, 'text', at).textContent = shown(value);
      }
    };
    const zoom = (range) => {
      x = range ?? domain.x;
      y = domain.y;
      const values = visible()
        .flatMap(({ points }) => points.filter(isIn).map(([, v]) => v))
        .filter((v) => v !== null);
      if (range && !isFixed && values.length > 0) {
        const [low, high] = [Math.min(...values), Math.max(...values)];
        const margin = low === high ? 0.5 : (high - low) * 0.05;
        y = [low - margin, high + margin];
      }
      draw();
      read(null);
    };
    const read = (value) => {
      place = value;
      const rows = value === null ? [] : visible().flatMap(({ name, points }) => {
        const inside = points.filter(isIn);
        const near = inside.sort((a, b) => Math.abs(a[0] - value) - Math.abs(b[0] - value)).at(0);
        return near ? [[name, near]] : [];
      });
      rule.setAttribute('visibility', rows.length ? 'visible' : 'hidden');
      if (rows.length) for (const key of ['x1', 'x2']) rule.setAttribute(key, across(rows[0][1][0]));
      tip.textContent = rows
        .map(([name, [px, v]]) => name + ': ' + yTitle + ' ' + shown(v ?? NaN) + ' at ' + xTitle + ' ' + shown(px))
        .join('\\n');
    };
    svg.addEventListener('pointermove', (event) => {
      const px = pixel(event);
      read(back(px));
      if (from === null) return;
      brush.setAttribute('x', Math.min(from, px));
      brush.setAttribute('width', Math.abs(px - from));
    });
    svg.addEventListener('pointerleave', () => from === null && read(null));
    svg.addEventListener('pointerdown', (event) => {
      if (bars || event.target.closest('.name')) return;
      svg.setPointerCapture(event.pointerId);
      from = pixel(event);
    });
    svg.addEventListener('pointerup', (event) => {
      const px = pixel(event);
      const ends = from === null ? [] : [back(Math.min(from, px)), back(Math.max(from, px))];
      if (from !== null && Math.abs(px - from) > 5) zoom(ends);
      from = null;
      brush.setAttribute('width', 0);
    });
    svg.addEventListener('dblclick', () => !bars && zoom(null));
    svg.setAttribute('tabindex', '0');
    svg.addEventListener('keydown', (event) => {
      if (event.key === '0' && !bars) zoom(null);
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
      event.preventDefault();
      const places = visible().flatMap(({ points }) => points.filter(isIn).map(([px]) => px));
      const all = [...new Set(places)].sort((a, b) => a - b);
      if (all.length === 0) return;
      const now = place === null ? -1 : all.findLastIndex((px) => px <= place);
      read(all[Math.min(all.length - 1, Math.max(0, now + (event.key === 'ArrowLeft' ? -1 : 1)))]);
    });
    for (const label of svg.querySelectorAll('.name')) {
      const { name } = series[Number(label.dataset.of)];
      label.setAttribute('tabindex', '0');
      label.setAttribute('role', 'button');
      const toggle = () => {
        if (!hidden.delete(name)) hidden.add(name);
        for (const { refresh } of charts) refresh();
      };
      label.addEventListener('click', toggle);
      label.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        toggle();
      });
    }
    const refresh = () => {
      for (const label of svg.querySelectorAll('.name')) {
        const isShown = !hidden.has(series[Number(label.dataset.of)].name);
        label.setAttribute('aria-pressed', String(isShown));
        label.classList.toggle('off', !isShown);
      }
      groups.forEach((group, at) => {
        group.setAttribute('visibility', hidden.has(series[at].name) ? 'hidden' : 'visible');
      });
    };
    svg.setAttribute('role', 'group');
    refresh();
    return { refresh };
  });
})();
`;

/** The source that a report's policy allows: this script and no other. */
export const scriptSource = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
