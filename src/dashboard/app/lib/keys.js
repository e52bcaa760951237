// The keyboard: one listener, sequences of at most two keys, silent while somebody types.

import { useLayoutEffect, useRef } from '../vendor/preact.js';

const bindings = [];
let first = '';
let timer = 0;

const typing = (target) =>
  target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !/^(checkbox|radio|range|button)$/.test(target.type);

export function startKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const dialog = document.querySelector('dialog[open]');
    if (typing(event.target) || dialog) return;
    const keys = first ? `${first} ${event.key}` : event.key;
    const hit = find(keys) ?? find(event.key);
    clearTimeout(timer);
    first = '';
    if (hit) {
      event.preventDefault();
      hit.run(event);
    } else if (bindings.some((one) => one.keys.startsWith(`${event.key} `))) {
      first = event.key;
      timer = setTimeout(() => (first = ''), 1200);
    }
  });
}

// The latest wins: a page's own keys over those of the frame.
function find(keys) {
  return bindings.findLast((one) => one.keys === keys);
}

/** While it is on screen, `keys` ("j", "g i") do `run`. */
export function useKey(keys, run, about = '') {
  const latest = useRef(run);
  latest.current = run;
  // Before the page is painted: whoever sees a row can press its keys.
  useLayoutEffect(() => {
    const binding = { keys, about, run: (event) => latest.current?.(event) };
    bindings.push(binding);
    return () => bindings.splice(bindings.indexOf(binding), 1);
  }, [keys]);
}

/** All keys that do something now, with what they do. */
export const keysNow = () => bindings.filter((one) => one.about);
