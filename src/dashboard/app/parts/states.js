// The states that an object may pass, drawn, with the one where it stands.

import { html } from '../vendor/preact.js';
import { words } from '../lib/format.js';

const BOX = 118;
const TALL = 30;

/** `nodes` are `{name, x, y}` in columns and rows, `moves` pairs of names: to the right, or down. */
export function States({ label, nodes, moves, now, passed = [] }) {
  const columns = Math.max(...nodes.map((node) => node.x)) + 1;
  const rows = Math.max(...nodes.map((node) => node.y)) + 1;
  const [dx, dy] = [BOX + 34, TALL + 20];
  const spot = (name) => nodes.find((node) => node.name === name);
  const line = ([from, to]) => {
    const [a, b] = [spot(from), spot(to)];
    const [x1, y1] = a.x === b.x ? [a.x * dx + BOX / 2, a.y * dy + TALL] : [a.x * dx + BOX, a.y * dy + TALL / 2];
    const [x2, y2] = a.x === b.x ? [x1, b.y * dy] : [b.x * dx, b.y * dy + TALL / 2];
    const middle = (x1 + x2) / 2;
    const bend = a.y === b.y || a.x === b.x ? `L${x2} ${y2}` : `C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
    const on = (passed.includes(from) || from === now) && (passed.includes(to) || to === now);
    return html`<path class=${on ? 'on' : ''} d=${`M${x1} ${y1} ${bend}`} marker-end="url(#arrow)" />`;
  };
  return html`<figure class="states" tabindex="0" aria-label=${label}><svg viewBox=${`-2 -2 ${columns * dx - 30} ${rows * dy - 16}`} role="img" aria-label=${`${label}: ${words(now)}`} style=${{ maxWidth: `${columns * dx}px` }}>
    <defs><marker id="arrow" viewBox="0 0 6 6" refX="5.5" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L6 3L0 6z" /></marker></defs>
    ${moves.map(line)}
    ${nodes.map((node) => html`<g class=${node.name === now ? 'here' : passed.includes(node.name) ? 'passed' : ''}><rect x=${node.x * dx} y=${node.y * dy} width=${BOX} height=${TALL} rx="8" /><text x=${node.x * dx + BOX / 2} y=${node.y * dy + TALL / 2 + 4} text-anchor="middle">${node.label ?? words(node.name)}</text></g>`)}
  </svg></figure>`;
}
