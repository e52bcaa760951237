// Begins the dashboard: who is signed in, then the page of the address.

import { h, html, render, useEffect, useState } from './vendor/preact.js';
import { ask } from './lib/api.js';
import { startKeys } from './lib/keys.js';
import { listen } from './lib/live.js';
import { OBJECTS, titleOf } from './lib/places.js';
import { followLinks, usePlace } from './lib/route.js';
import { Who } from './lib/who.js';
import { Dialogs } from './parts/dialog.js';
import { Frame } from './parts/frame.js';
import { Loading, Problem } from './parts/state.js';

const WHO = '{ me { id email name role may } account { sellerAccountId uuid name mode status expiresAt country taxMode vendorsEnabled goLiveRequestedAt } }';

/** The module of a page, loaded when it is first wanted. */
function Page({ page, object }) {
  const module = object ? OBJECTS[page] : page;
  const [{ View, error }, set] = useState({});
  useEffect(() => {
    if (!/^[a-z-]+$/.test(module ?? '')) {
      set({ error: { message: 'There is no such page.', code: 'NOT_FOUND' } });
      return;
    }
    document.title = [titleOf(page), 'Accrue'].filter(Boolean).join(' – ');
    import(`./pages/${module}.js`).then(
      (loaded) => set({ View: loaded.default }),
      () => set({ error: { message: 'This page cannot be loaded. Accrue may have been updated: reload to go on.', code: 'STALE' } }),
    );
  }, [module]);
  if (error) return html`<${Problem} error=${error} again=${() => location.reload()} />`;
  return View ? h(View, { id: object }) : html`<${Loading} />`;
}

function App() {
  const { page, object } = usePlace();
  const [who, setWho] = useState(null);
  const [error, setError] = useState(null);
  const load = () => ask(WHO).then((found) => { setWho(found); setError(null); }, setError);
  useEffect(() => {
    load();
  }, []);
  if (error?.message === 'onboarding is not complete') {
    return html`<main class="alone"><${Page} page="welcome" /></main>`;
  }
  if (error) return html`<main class="alone"><${Problem} error=${error} again=${load} /></main>`;
  if (!who) return html`<main class="alone"><${Loading} /></main>`;
  return html`<${Who.Provider} value=${{ ...who, again: load }}>
    <${Frame} page=${page}><${Page} key=${`${page}/${object}`} page=${page} object=${object} /></${Frame}>
    <${Dialogs} />
  </${Who.Provider}>`;
}

startKeys();
followLinks();
listen();
render(html`<${App} />`, document.getElementById('app'));
