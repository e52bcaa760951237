// The address of the page and its query: where one is, and how to go elsewhere without loading.

import { useEffect, useState } from '../vendor/preact.js';

export const ROOT = '/dashboard';

const listeners = new Set();
/** The query of each list as it was last looked at. */
const filters = new Map();

/** What is no encoded text stands for itself: there is no object of that name. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `{page, object, query}` of the address. */
export function place() {
  const [, , page = '', object = ''] = location.pathname.split('/');
  return { page: page || 'overview', object: decoded(object), query: new URLSearchParams(location.search) };
}

export function usePlace() {
  const [here, set] = useState(place);
  if (!here.object) filters.set(here.page, here.query.size ? `?${here.query}` : '');
  useEffect(() => {
    const moved = () => set(place());
    listeners.add(moved);
    return () => listeners.delete(moved);
  }, []);
  return here;
}

/** The address of a list with the filters that it was last looked at with. */
export const listed = (page) => path(page) + (filters.get(page) ?? '');

/** The address of a page, of one object, with a query. */
export function path(page, object, query) {
  const text = new URLSearchParams(Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '')).toString();
  const base = page === 'overview' ? ROOT : `${ROOT}/${page}`;
  return base + (object === undefined || object === null ? '' : `/${encodeURIComponent(object)}`) + (text ? `?${text}` : '');
}

export function go(to, { replace = false, state = null } = {}) {
  const from = location.pathname;
  history[replace ? 'replaceState' : 'pushState'](state, '', to);
  if (location.pathname !== from) scrollTo(0, 0);
  for (const moved of listeners) moved();
}

/** The same page with other values in its query; empty ones leave it. */
export function change(values, options) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ''), options);
}

/** Follows links within the dashboard in place; everything else is the browser's. */
export function followLinks() {
  addEventListener('popstate', () => listeners.forEach((moved) => moved()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.('a[href]');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    const inside = link.pathname === ROOT || (link.pathname.startsWith(`${ROOT}/`) && !link.hasAttribute('data-whole'));
    if (!inside || (link.hash && link.pathname === location.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
