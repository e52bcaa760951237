// The page of one object: what it is, its facts, what can be done, and what belongs to it in tabs.

import { html, useEffect } from '../vendor/preact.js';
import { useKey } from '../lib/keys.js';
import { useAsk } from '../lib/read.js';
import { change, go, listed, usePlace } from '../lib/route.js';
import { Actions } from './form.js';
import { Loading, Problem } from './state.js';

export function Facts({ of }) {
  return html`<dl class="facts">${of.filter(Boolean).map(([label, value]) => value !== undefined && value !== null && value !== '' && html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function Panel({ title, actions, children, flush }) {
  return html`<section class=${`panel${flush ? ' flush' : ''}`}>${title && html`<header class="panel-head"><h2>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>`}${children}</section>`;
}

function Tabs({ tabs, data, again }) {
  const { query } = usePlace();
  const shown = tabs.filter((tab) => tab && tab.when !== false);
  const now = shown.find((tab) => tab.name === query.get('tab')) ?? shown[0];
  const turn = (by) => {
    const next = shown[(shown.indexOf(now) + by + shown.length) % shown.length];
    change({ tab: next === shown[0] ? '' : next.name }, { replace: true });
  };
  useKey(']', () => turn(1), 'Next tab');
  useKey('[', () => turn(-1), 'Tab before');
  return html`${shown.length > 1 && html`<nav class="tabs" aria-label="Parts">${shown.map((tab) => html`<a href=${`${location.pathname}${tab === shown[0] ? '' : `?tab=${tab.name}`}`} aria-current=${tab === now ? 'page' : undefined}>${tab.label}</a>`)}</nav>`}
    <div class="tab" key=${now.name}>${now.show(data, again)}</div>`;
}

/** `spec` is made from what was read: title, status, amount, facts, actions, tabs. */
export function RecordPage({ query, watch, of, list, make }) {
  const read = useAsk(query, watch);
  useKey('Escape', () => go(listed(list.page)), 'Back to the list');
  return html`<${Found} read=${read} of=${of} list=${list} make=${make} />`;
}

const NONE = { code: 'NOT_FOUND', message: 'Nothing is found at this address.' };

/** What was read, or why there is nothing to show. The address is all that is asked with: what is
 * refused as wrong is an address of nothing. */
export function Found({ read, of, list, make }) {
  const { data, error, again } = read;
  if (data?.[of]) return html`<${Shown} spec=${make(data[of], data, again)} list=${list} again=${again} data=${data} />`;
  if (!data && !error) return html`<${Loading} lines=${12} />`;
  const none = data || ['NOT_FOUND', 'BAD_REQUEST'].includes(error.code);
  return html`<${Missing} title=${none ? 'Not found' : list.title} error=${none ? NONE : error} list=${list} again=${again} />`;
}

function useTitle(title) {
  useEffect(() => {
    document.title = `${title} – Accrue`;
  }, [title]);
}

function Crumbs({ list }) {
  return html`<nav class="crumbs" aria-label="Where you are"><a href=${listed(list.page)}>${list.title}</a></nav>`;
}

function Missing({ title, error, list, again }) {
  useTitle(title);
  return html`<${Crumbs} list=${list} /><header class="head"><h1>${title}</h1></header><${Problem} error=${error} again=${again} />`;
}

function Shown({ spec, list, again, data }) {
  useTitle(spec.title);
  return html`<${Crumbs} list=${list} />
    <header class="head"><div><h1>${spec.title}${spec.status && html` ${spec.status}`}</h1>${spec.lead && html`<p class="lead">${spec.lead}</p>`}</div>
      ${spec.amount && html`<div class="amount">${spec.amount}</div>`}</header>
    ${spec.actions?.length > 0 && html`<div class="actions row-actions"><${Actions} of=${spec.actions} done=${again} /></div>`}
    ${spec.above}
    ${spec.facts && html`<section class="panel"><${Facts} of=${spec.facts} /></section>`}
    ${spec.tabs && html`<${Tabs} tabs=${spec.tabs} data=${data} again=${again} />`}`;
}
