// What is around every page: navigation, search, who is signed in.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { useKey } from '../lib/keys.js';
import { useIsLive } from '../lib/live.js';
import { ALL, GROUPS, entryOf } from '../lib/places.js';
import { go, path, usePlace } from '../lib/route.js';
import { useWho } from '../lib/who.js';
import { day, words } from '../lib/format.js';
import { open } from './dialog.js';
import Help from './help.js';
import Search from './search.js';

const search = () => open(Search, { label: 'Search', kind: 'high' });
const help = () => open(Help, { label: 'Keys' });

function Jump({ page, keys, title }) {
  useKey(`g ${keys}`, () => go(path(page)), title);
  return null;
}

function Nav({ page, away }) {
  const here = entryOf(page);
  return html`<nav id="nav" class="nav" aria-label="All pages">
    ${GROUPS.map(([title, pages]) => html`<div class="nav-group">${title && html`<p class="nav-title" id=${`nav-${title}`}>${title}</p>`}
      <ul aria-labelledby=${title ? `nav-${title}` : undefined}>${pages.map(([name, label]) => html`<li><a href=${path(name)} aria-current=${name === here ? 'page' : undefined} onClick=${away}>${label}</a></li>`)}</ul></div>`)}
    <div class="nav-group"><ul><li><a href="/docs" target="_blank" rel="noopener">API reference</a></li><li><a href="/dashboard/playground" data-whole>GraphQL playground</a></li></ul></div>
  </nav>`;
}

function Account() {
  const { me, account } = useWho();
  const menu = useRef(null);
  const [open, setOpen] = useState(false);
  const turn = (event) => {
    event.preventDefault();
    setOpen(!open);
  };
  useKey(open ? 'Escape' : '', () => {
    setOpen(false);
    menu.current.querySelector('summary').focus();
  });
  useEffect(() => {
    if (!open) return undefined;
    const click = (event) => !menu.current.contains(event.target) && setOpen(false);
    addEventListener('click', click);
    return () => removeEventListener('click', click);
  }, [open]);
  return html`<details ref=${menu} class="account" open=${open}><summary onClick=${turn} aria-label=${`Signed in as ${me.email}`}><span class="face" aria-hidden="true">${(me.name ?? me.email).charAt(0).toUpperCase()}</span></summary>
    <div class="account-menu"><p><b>${me.name ?? me.email}</b></p><p class="soft">${me.name && html`${me.email}, `}${words(me.role)} of ${account.name}</p>
      <form method="post" action="/api/v1/logout"><button class="button plain" type="submit">Sign out</button></form></div></details>`;
}

export function Frame({ page, children }) {
  const { account } = useWho();
  const { object } = usePlace();
  const live = useIsLive();
  const main = useRef(null);
  const menu = useRef(null);
  const [shown, setShown] = useState(false);
  const first = useRef(true);
  useKey('/', search, 'Search');
  useKey('?', help, 'Show the keys');
  useKey(shown ? 'Escape' : '', () => {
    setShown(false);
    menu.current.focus();
  });
  useEffect(() => {
    setShown(false);
    // Whoever hears the page is told of the new one.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [page, object]);
  return html`<a class="skip" href="#main">Skip to content</a>
    ${ALL.map(([name, label, keys]) => html`<${Jump} key=${name} page=${name} keys=${keys} title=${label} />`)}
    <header class="top">
      <button ref=${menu} type="button" class="menu" aria-expanded=${shown ? 'true' : 'false'} aria-controls="nav" onClick=${() => setShown(!shown)}><span class="hidden">Menu</span><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 5h14M3 10h14M3 15h14" /></svg></button>
      <a class="brand" href=${path('overview')}><span class="brand-mark" aria-hidden="true">A</span><span class="brand-name">${account.name}</span></a>
      <button type="button" class="search-button" aria-label="Search" onClick=${search}><svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="5.5" /><path d="m13.5 13.5 3.5 3.5" /></svg><span>Search</span><kbd aria-hidden="true">/</kbd></button>
      <span class=${`mode ${account.mode}`} title=${account.expiresAt ? `This sandbox ends on ${day(account.expiresAt)}` : undefined}>${words(account.mode)}</span>
      <span class=${`live${live ? ' on' : ''}`} title=${live ? 'Changes show as they happen' : 'Changes show when a page is opened again'}><span class="hidden">${live ? 'Live' : 'Not live'}</span></span>
      <${Account} />
    </header>
    <div class=${`frame${shown ? ' open' : ''}`}>
      <${Nav} page=${page} away=${() => setShown(false)} />
      <main id="main" ref=${main} tabindex="-1">
        ${account.status !== 'active' && html`<div class="notice info"><p>The account is ${words(account.status).toLowerCase()}: it can be looked at, but nothing can be changed.</p></div>`}
        ${children}
      </main>
    </div>`;
}
