/** CSS of a report: the workbench's colours, light and dark, and rules for printing. */
export const style = `
:root { color-scheme: light dark; --ground: #fbfbfa; --raised: #fff; --ink: #1d2126; --quiet: #5d6670;
  --line: #dfe2e6; --accent: #0a5fa8;
  --c0: #0072b2; --c1: #b05a00; --c2: #00785a; --c3: #a8326f; --c4: #c04a00; --c5: #2f7fb0; --c6: #7a6a00;
  --c7: #444b54; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181b; --raised: #1c2024; --ink: #e4e7ea;
  --quiet: #9aa4ae; --line: #31373d; --accent: #6cb8f0;
  --c0: #5ab4ec; --c1: #f0b04a; --c2: #3cc79e; --c3: #e792bd; --c4: #f2905a; --c5: #8fd0f5; --c6: #e6dc5a;
  --c7: #c3cad1; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 14px/1.5 Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 18px; margin: 36px 0 8px; border-bottom: 1px solid var(--line); padding-bottom: 4px; }
h3 { font-size: 13px; margin: 16px 0 6px; }
header p, .note, small { color: var(--quiet); }
p { max-width: 80ch; }
.finding { border-left: 3px solid var(--accent); padding: 4px 12px; background: var(--raised); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { text-align: right; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { color: var(--quiet); font-weight: 500; }
th:first-child, td:first-child { text-align: left; }
td.interval span { margin-left: 8px; }
.whisker { width: 100px; height: 14px; vertical-align: -2px; }
figure { margin: 16px 0; max-width: 760px; }
figcaption { font-weight: 600; }
svg { width: 100%; height: auto; display: block; }
svg.whisker { display: inline-block; width: 100px; }
svg text { font: 11px Inter, system-ui, sans-serif; fill: var(--quiet); }
.grid { stroke: var(--line); stroke-width: 1; }
.line { fill: none; stroke: currentColor; stroke-width: 1.6; }
.dashed { stroke-dasharray: 5 4; }
.dot { fill: currentColor; }
.bar { fill: currentColor; opacity: .75; }
svg text.name { fill: currentColor; }
${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `.c${n} { color: var(--c${n}); }`).join(' ')}
.run, .who { font-weight: 600; }
.answers { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 8px; }
.answer { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 6px 10px; }
.answer p { margin: 0 0 4px; font-size: 12px; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 12px/1.45 "JetBrains Mono", ui-monospace, monospace; }
summary { cursor: pointer; color: var(--quiet); font-size: 12px; }
figure[data-chart] { position: relative; }
svg[tabindex] { touch-action: pan-y; }
svg[tabindex]:focus-visible, .name:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.name[role] { cursor: pointer; }
.name.off { opacity: .45; text-decoration: line-through; }
.rule { stroke: var(--quiet); stroke-dasharray: 2 3; pointer-events: none; }
.brush { fill: var(--accent); opacity: .12; pointer-events: none; }
.tip { min-height: 1.5em; margin: 4px 0; white-space: pre-line; font-size: 12px; color: var(--quiet); }
@media print { .tip { display: none; }
body { background: #fff; }
details { display: none; } }
`;
