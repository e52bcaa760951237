// Charts in SVG: bars, stacked or beside each other, and a line. Each has its numbers as a table
// below, which is also what a reader without eyes gets.

import { html, useEffect, useId, useRef, useState } from '../vendor/preact.js';

const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 10;
const RIGHT = 12;

/** Round steps from the least to the most value, zero among them. */
function ticks(least, most, wanted = 4) {
  const span = most - least || 1;
  const raw = span / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= raw) ?? raw;
  const found = [];
  for (let at = Math.floor(least / step) * step; at < most + step * 0.999; at += step) found.push(at);
  return found;
}

function Frame({ title, labels, series, format, short, least, most, children, height = HEIGHT }) {
  const [at, setAt] = useState(null);
  // Drawn at the size that it is shown in, so that its texts have theirs.
  const [width, setWidth] = useState(560);
  const figure = useRef(null);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry.contentRect.width))));
    watch.observe(figure.current);
    return () => watch.disconnect();
  }, []);
  const id = useId();
  const marks = ticks(least, most);
  const [low, high] = [marks[0], marks.at(-1)];
  const y = (value) => TOP + (height - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1));
  const slot = (width - LEFT - RIGHT) / Math.max(labels.length, 1);
  const x = (index) => LEFT + slot * index;
  const every = Math.ceil(labels.length / Math.max(2, Math.floor(width / 62)));
  const hover = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor((event.clientX - box.left - LEFT) / slot);
    setAt(index >= 0 && index < labels.length ? index : null);
  };
  return html`<figure ref=${figure} class="chart" aria-labelledby=${id}>
    <figcaption id=${id}><span class="chart-title">${title}</span>
      <span class="legend">${series.map((one, index) => html`<span class=${`key s${one.tone ?? index}`}>${one.label}${at !== null ? html` <b>${format(one.values[at])}</b>` : ''}</span>`)}${at !== null && html`<span class="at">${labels[at]}</span>`}</span></figcaption>
    <svg viewBox=${`0 0 ${width} ${height}`} aria-hidden="true" onPointerMove=${hover} onPointerLeave=${() => setAt(null)}>
      ${marks.map((mark) => html`<g class="grid"><line x1=${LEFT} x2=${width - RIGHT} y1=${y(mark)} y2=${y(mark)} class=${mark === 0 ? 'zero' : ''} /><text x=${LEFT - 8} y=${y(mark) + 4} text-anchor="end">${(short ?? format)(mark)}</text></g>`)}
      ${at !== null && html`<rect class="band" x=${x(at)} y=${TOP} width=${slot} height=${height - TOP - BOTTOM} />`}
      ${children({ x, y, slot })}
      ${labels.map((label, index) => index % every === 0 && html`<text class="label" x=${x(index) + slot / 2} y=${height - 6} text-anchor="middle">${label}</text>`)}
    </svg>
    <details class="numbers"><summary>Numbers</summary><table class="table"><thead><tr><th scope="col">When</th>${series.map((one) => html`<th scope="col" class="number">${one.label}</th>`)}</tr></thead>
      <tbody>${labels.map((label, index) => html`<tr><th scope="row">${label}</th>${series.map((one) => html`<td class="number">${format(one.values[index])}</td>`)}</tr>`)}</tbody></table></details>
  </figure>`;
}

/** Bars beside each other; `stacked` puts them upon each other, below zero what is negative. */
export function Bars({ title, labels, series, format, short, stacked, height }) {
  const sums = (sign) => labels.map((_, index) => series.map((one) => one.values[index]).filter((value) => Math.sign(value) === sign).reduce((sum, value) => sum + value, 0));
  const values = stacked ? [...sums(1), ...sums(-1)] : series.flatMap((one) => one.values);
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values, least === 0 ? 1 : 0);
  return html`<${Frame} title=${title} labels=${labels} series=${series} format=${format} short=${short} least=${least} most=${most} height=${height}>${({ x, y, slot }) =>
    labels.map((_, index) => {
      const room = slot * 0.7;
      const begin = x(index) + slot * 0.15;
      let [up, down] = [0, 0];
      return series.map((one, place) => {
        const value = one.values[index];
        const width = stacked ? room : room / series.length;
        let from = 0;
        if (stacked) {
          from = value >= 0 ? up : down;
          if (value >= 0) up += value;
          else down += value;
        }
        const [top, bottom] = [Math.max(from, from + value), Math.min(from, from + value)];
        const tall = y(bottom) - y(top);
        return tall > 0.2 && html`<rect class=${`bar s${one.tone ?? place}`} x=${stacked ? begin : begin + width * place} y=${y(top)} width=${Math.max(1, width - (stacked ? 0 : 1))} height=${tall} rx="1.5" />`;
      });
    })}</${Frame}>`;
}

export function Line({ title, labels, series, format, short, height }) {
  const values = series.flatMap((one) => one.values);
  const most = Math.max(1, ...values);
  return html`<${Frame} title=${title} labels=${labels} series=${series} format=${format} short=${short} least=${Math.min(0, ...values)} most=${most} height=${height}>${({ x, y, slot }) =>
    series.map((one, place) => {
      const points = one.values.map((value, index) => `${x(index) + slot / 2},${y(value)}`);
      return html`<g><polygon class=${`area s${one.tone ?? place}`} points=${[`${x(0) + slot / 2},${y(0)}`, ...points, `${x(labels.length - 1) + slot / 2},${y(0)}`].join(' ')} /><polyline class=${`line s${one.tone ?? place}`} points=${points.join(' ')} />${one.values.length < 40 && one.values.map((value, index) => html`<circle class=${`dot s${one.tone ?? place}`} cx=${x(index) + slot / 2} cy=${y(value)} r="2.5" />`)}</g>`;
    })}</${Frame}>`;
}

/** Parts of a whole in one bar. */
export function Share({ title, parts, format }) {
  const whole = parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);
  return html`<figure class="share" aria-label=${title}><div class="share-bar" aria-hidden="true">${whole > 0 && parts.map((part, index) => part.value > 0 && html`<span class=${`s${part.tone ?? index}`} style=${{ flexGrow: part.value }}></span>`)}</div>
    <dl class="share-parts">${parts.map((part, index) => html`<div><dt class=${`key s${part.tone ?? index}`}>${part.label}</dt><dd>${format(part.value)}</dd></div>`)}</dl></figure>`;
}
