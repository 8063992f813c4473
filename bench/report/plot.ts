/** Plots as SVG: plain bars and lines for light and dark pages. */

export type Bar = { label: string; value: number; note: string; isOurs: boolean };
export type Line = { label: string; points: { x: number; y: number }[] };

const WIDTH = 720;
const LABEL_WIDTH = 230;
const ROW = 30;
const TOP = 44;
const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #57606a; }
  .title { font-size: 15px; font-weight: 600; fill: #24292f; }
  .ours { fill: #5865f2; } .theirs { fill: #afb8c1; }
  .axis { stroke: #d0d7de; } .line { fill: none; stroke-width: 2; }
  @media (prefers-color-scheme: dark) { text { fill: #9198a1; } .title { fill: #e6edf3; } .theirs { fill: #57606a; } .axis { stroke: #30363d; } }
</style>`;
const COLOURS = ['#5865f2', '#e8590c', '#2b8a3e', '#9c36b5', '#1098ad', '#c2255c'];

export function barPlot(title: string, bars: Bar[]): string {
  const largest = Math.max(...bars.map(({ value }) => value));
  const room = WIDTH - LABEL_WIDTH - 150;
  const rows = bars.map(({ label, value, note, isOurs }, i) => {
    const y = TOP + i * ROW;
    const width = Math.max(1, (value / largest) * room);
    return `<text x="${LABEL_WIDTH - 10}" y="${y + 15}" text-anchor="end">${escapeXml(label)}</text>
<rect class="${isOurs ? 'ours' : 'theirs'}" x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="20" rx="3"/>
<text x="${(LABEL_WIDTH + width + 8).toFixed(1)}" y="${y + 15}">${escapeXml(note)}</text>`;
  });
  return svg(title, TOP + bars.length * ROW + 10, rows.join('\n'));
}

/** The horizontal axis is logarithmic; the vertical one starts at zero. */
export function linePlot(title: string, lines: Line[], unit: string): string {
  const [left, bottom, height] = [60, 300, 230];
  const all = lines.flatMap(({ points }) => points);
  const largest = Math.max(...all.map(({ y }) => y)) * 1.15;
  const [first, last] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x))];
  const plotWidth = WIDTH - left - 40;
  const atX = (x: number) => left + (Math.log(x / first) / Math.log(last / first)) * plotWidth;
  const atY = (y: number) => bottom - (y / largest) * height;
  const marks = [...new Set(all.map(({ x }) => x))].map(
    (x) =>
      `<text x="${atX(x).toFixed(1)}" y="${bottom + 20}" text-anchor="middle">${x.toLocaleString('en')}</text>`,
  );
  const scale = [0, largest / 2, largest / 1.15].map(
    (
      y,
    ) => `<line class="axis" x1="${left}" x2="${WIDTH - 40}" y1="${atY(y).toFixed(1)}" y2="${atY(y).toFixed(1)}"/>
<text x="${left - 8}" y="${(atY(y) + 4).toFixed(1)}" text-anchor="end">${y.toFixed(1)}</text>`,
  );
  const drawn = lines.map(({ label, points }, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const path = points.map(({ x, y }) => `${atX(x).toFixed(1)},${atY(y).toFixed(1)}`).join(' ');
    const legendY = bottom + 46 + Math.floor(i / 3) * 20;
    const legendX = left + (i % 3) * 215;
    return `<polyline class="line" stroke="${colour}" points="${path}"/>
<rect x="${legendX}" y="${legendY - 10}" width="12" height="12" fill="${colour}"/><text x="${legendX + 18}" y="${legendY}">${escapeXml(label)}</text>`;
  });
  const legendRows = Math.ceil(lines.length / 3);
  return svg(`${title} (${unit})`, bottom + 46 + legendRows * 20, [...scale, ...marks, ...drawn].join('\n'));
}

function svg(title: string, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(title)}">
${STYLE}
<text class="title" x="10" y="24">${escapeXml(title)}</text>
${content}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
