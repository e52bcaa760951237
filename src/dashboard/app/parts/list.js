// Any list of the API: a declaration of columns and filters becomes a table that is filtered by
// the query of its address, turns pages by cursor, and is walked with j, k and Enter.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { args } from '../lib/api.js';
import { words } from '../lib/format.js';
import { useKey } from '../lib/keys.js';
import { useAsk } from '../lib/read.js';
import { change, path, usePlace } from '../lib/route.js';
import { Actions } from './form.js';
import { Empty, Loading, Problem } from './state.js';

const PAGE = 25;

/** Moves the focus by a row. */
function step(table, by) {
  const links = [...(table?.querySelectorAll('[data-row]') ?? [])];
  if (!links.length) return;
  const at = links.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by));
  links[next].focus();
  links[next].scrollIntoView({ block: 'nearest' });
}

function Filter({ filter, value, set }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  if (filter.choices) {
    return html`<label class="filter"><span>${filter.label}</span><select name=${filter.name} value=${value} onChange=${(event) => set(event.target.value)}>
      <option value="">Any</option>${filter.choices.map((one) => html`<option value=${one}>${words(one)}</option>`)}</select></label>`;
  }
  const send = () => typed !== value && set(typed.trim());
  return html`<label class="filter"><span>${filter.label}</span><input name=${filter.name} type=${filter.kind ?? 'text'} value=${typed} placeholder=${filter.example} autocomplete="off"
    onInput=${(event) => setTyped(event.target.value)}
    onChange=${filter.kind === 'date' ? (event) => set(event.target.value) : send}
    onKeyDown=${(event) => event.key === 'Enter' && send()} /></label>`;
}

/** The rows of a list; `keyed` gives it j and k. */
export function Table({ spec, nodes, again, keyed = true }) {
  const table = useRef(null);
  useKey(keyed ? 'j' : '', () => step(table.current, 1), keyed ? 'Next row' : '');
  useKey(keyed ? 'k' : '', () => step(table.current, -1), keyed ? 'Row before' : '');
  const cell = (column, row, first) => {
    const shown = column.show ? column.show(row, again) : row[column.name];
    if (!first || !spec.href) return shown;
    const to = spec.href(row);
    return to ? html`<a class="row" data-row href=${to}>${shown}</a>` : shown;
  };
  return html`<table class="table" ref=${table} aria-label=${spec.label}>
    <thead><tr>${spec.columns.map((column) => html`<th scope="col" class=${column.kind}>${column.label}</th>`)}</tr></thead>
    <tbody>${nodes.map((row) => html`<tr key=${row.id ?? row.name}>${spec.columns.map((column, index) => html`<td class=${column.kind}>${cell(column, row, index === 0)}</td>`)}</tr>`)}</tbody>
  </table>`;
}

/** The ways to the next page and back. */
export const Pager = ({ previous, next }) => html`<nav class="pager" aria-label="Pages">
  <button type="button" class="button plain small" disabled=${!previous} onClick=${previous}>Previous</button>
  <button type="button" class="button plain small" disabled=${!next} onClick=${next}>Next</button></nav>`;

/** The part of a list below its title: filters, rows, pages. `fixed` arguments hold besides the
 * filters; an `embedded` one has neither filters nor an address of its own. */
export function Listing({ spec, fixed = {}, embedded = false, size = PAGE }) {
  const { query } = usePlace();
  const [inner, setInner] = useState({ after: '', back: [] });
  const filters = (spec.filters ?? []).filter((filter) => !(filter.name in fixed));
  const turned = embedded ? inner : { after: query.get('after') ?? '', back: history.state?.back ?? [] };
  const given = {};
  if (!embedded) {
    for (const filter of filters) {
      const value = query.get(filter.name);
      if (value) given[filter.name] = filter.send ? filter.send(value) : value;
    }
  }
  const paging = spec.whole ? {} : { first: size, after: turned.after };
  const text = `{ ${spec.field}${args({ ...fixed, ...given, ...paging })} { nodes { ${spec.node} } ${spec.whole ? '' : 'pageInfo { hasNextPage endCursor }'} } }`;
  const read = useAsk(text, spec.watch);
  const found = read.data?.[spec.field];
  const turn = (after, back) => {
    if (embedded) setInner({ after, back });
    else change({ after }, { state: { back } });
  };
  const next = () => found?.pageInfo?.hasNextPage && turn(found.pageInfo.endCursor, [...turned.back, turned.after]);
  const previous = () => (turned.back.length ? turn(turned.back.at(-1), turned.back.slice(0, -1)) : turned.after && turn('', []));
  useKey(embedded ? '' : 'n', next, embedded ? '' : 'Next page of a list');
  useKey(embedded ? '' : 'p', previous, embedded ? '' : 'Page before');
  const filtered = Object.keys(given).length > 0;
  const clear = () => change(Object.fromEntries([...filters.map(({ name }) => [name, '']), ['after', '']]));
  const set = (name, value) => change({ [name]: value, after: '' });
  return html`
    ${!embedded && filters.length > 0 && html`<form class="filters" role="search" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>
      ${filters.map((filter) => html`<${Filter} key=${filter.name} filter=${filter} value=${query.get(filter.name) ?? ''} set=${(value) => set(filter.name, value)} />`)}
      ${filtered && html`<button type="button" class="button plain small" onClick=${clear}>Clear</button>`}
    </form>`}
    <div class=${`rows${read.busy && found ? ' stale' : ''}`} aria-busy=${read.busy ? 'true' : undefined}>
      ${read.error && html`<${Problem} error=${read.error} again=${read.again} />`}
      ${!found && !read.error && html`<${Loading} lines=${embedded ? 3 : 10} />`}
      ${found && found.nodes.length > 0 && html`<${Table} spec=${spec} nodes=${found.nodes} again=${read.again} keyed=${!embedded} />`}
      ${found && !found.nodes.length && (found.pageInfo?.hasNextPage
        ? html`<${Empty} title="None on this page.">More may be behind it: go on to the next one.</${Empty}>`
        : filtered || turned.after
        ? html`<${Empty} title=${turned.after ? 'No more of them.' : 'Nothing fits these filters.'}>${!turned.after && html`<button type="button" class="button plain small" onClick=${clear}>Clear the filters</button>`}</${Empty}>`
        : html`<${Empty} title=${spec.empty?.title ?? 'Nothing here yet.'}>${spec.empty?.text}</${Empty}>`)}
    </div>
    ${found && !spec.short && (found.pageInfo?.hasNextPage || turned.after) && html`<${Pager} previous=${turned.after && previous} next=${found.pageInfo.hasNextPage && next} />`}`;
}

/** A page that is a list. */
export function ListPage({ spec }) {
  const { query } = usePlace();
  const [key, setKey] = useState(0);
  const csv = new URLSearchParams();
  for (const { name } of spec.filters ?? []) if (query.get(name)) csv.set(name, query.get(name));
  const file = spec.csv && `/dashboard/files/${spec.csv}.csv${csv.size ? `?${csv}` : ''}`;
  return html`<header class="head"><h1>${spec.title}</h1>
      <div class="actions"><${Actions} of=${[...(spec.actions ?? []), file && { label: 'Export CSV', href: file, whole: true, download: '' }]} done=${() => setKey(key + 1)} /></div></header>
    ${spec.about && html`<p class="about-page">${spec.about}</p>`}
    ${spec.tabs && html`<nav class="tabs" aria-label=${`${spec.title} and what belongs to them`}>${spec.tabs.map(([page, label, given]) => html`<a href=${path(page, null, given)} aria-current=${page === spec.page ? 'page' : undefined}>${label}</a>`)}</nav>`}
    <section class="panel flush"><${Listing} key=${key} spec=${spec} /></section>`;
}
