// The search: pages by their names, and the account's objects as the server finds them.

import { html, useEffect, useId, useRef, useState } from '../vendor/preact.js';
import { literal, send } from '../lib/api.js';
import { words } from '../lib/format.js';
import { ALL } from '../lib/places.js';
import { go, path } from '../lib/route.js';

const PAGES = { contract: 'contracts', subscription: 'subscriptions', invoice: 'invoices', customer: 'customers', payment: 'payments', payee: 'payees', payout: 'payouts', payment_link: 'links' };

/** Where a hit leads; top-ups have no page of their own. */
const target = (hit) => (hit.kind === 'topup_invoice' ? path('topups') : path(PAGES[hit.kind], hit.id));

export default function Search({ close }) {
  const [text, setText] = useState('');
  const [hits, setHits] = useState([]);
  const [at, setAt] = useState(0);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const input = useRef(null);
  useEffect(() => input.current.focus(), []);
  useEffect(() => {
    const sought = text.trim();
    setAt(0);
    if (!sought) {
      setHits([]);
      return undefined;
    }
    const control = new AbortController();
    const timer = setTimeout(async () => {
      setBusy(true);
      const body = await send(`{ search(text: ${literal(sought)}) { kind id title detail } }`, control.signal).catch(() => ({}));
      if (control.signal.aborted) return;
      setHits((body.data?.search ?? []).filter((hit) => PAGES[hit.kind] || hit.kind === 'topup_invoice'));
      setBusy(false);
    }, 120);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [text]);
  const wanted = text.trim().toLowerCase();
  const pages = ALL.filter(([, label]) => wanted && label.toLowerCase().includes(wanted)).slice(0, 5);
  const all = [
    ...hits.map((hit) => ({ key: `${hit.kind} ${hit.id}`, to: target(hit), title: hit.title, about: [words(hit.kind), hit.detail].filter(Boolean).join(' · ') })),
    ...pages.map(([page, label]) => ({ key: page, to: path(page), title: label, about: 'Page' })),
  ];
  const take = (one) => {
    close();
    go(one.to);
  };
  const keyed = (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setAt(Math.max(0, Math.min(all.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1))));
    } else if (event.key === 'Escape') {
      // It would clear the field first.
      event.preventDefault();
      close();
    } else if (event.key === 'Enter' && all[at]) {
      event.preventDefault();
      take(all[at]);
    }
  };
  return html`<div class="search">
    <input ref=${input} type="search" role="combobox" aria-label="Search" aria-expanded=${all.length ? 'true' : 'false'} aria-controls=${id} aria-autocomplete="list" aria-activedescendant=${all[at] ? `${id}-${at}` : undefined}
      placeholder="Invoice number, customer, payment reference, id, page" autocomplete="off" spellcheck=${false} value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${keyed} />
    <ul id=${id} role="listbox" aria-label="Found">${all.map((one, index) => html`<li key=${one.key} id=${`${id}-${index}`} role="option" aria-selected=${index === at ? 'true' : 'false'} onClick=${() => take(one)} onPointerMove=${() => setAt(index)}><span>${one.title}</span><span class="soft">${one.about}</span></li>`)}</ul>
    ${wanted && !all.length && !busy && html`<p class="soft nothing">Nothing is called that.</p>`}
  </div>`;
}
