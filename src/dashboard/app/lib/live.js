// The account's events as they happen. A server without the stream leaves pages as they are.

import { useEffect, useRef, useState } from '../vendor/preact.js';

/** How long events are gathered before what is on screen is read anew. */
const GATHER = 300;

const listeners = new Set();
const states = new Set();
let source = null;
let live = false;

function tell(now) {
  live = now;
  for (const set of states) set(now);
}

function open() {
  source = new EventSource('/dashboard/events');
  source.onopen = () => tell(true);
  source.onerror = () => tell(false);
  source.onmessage = (message) => {
    const event = JSON.parse(message.data);
    for (const { wanted, hear } of listeners) {
      if (wanted.test(`${event.eventType} ${event.objectType}`)) hear();
    }
  };
  // More came about than is told one by one: all that is on screen may have changed.
  source.addEventListener('reset', () => {
    for (const { hear } of listeners) hear();
  });
}

/** Begins to listen; a page that nobody looks at does not. */
export function listen() {
  const turn = () => {
    if (document.hidden) {
      source?.close();
      source = null;
      tell(false);
    } else if (!source) {
      open();
    }
  };
  document.addEventListener('visibilitychange', turn);
  turn();
}

/** Calls `heard` after events whose type or object `pattern` matches; what comes within a moment
 * counts as one. */
export function useLive(pattern, heard) {
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(() => {
    if (!pattern) return undefined;
    const wanted = new RegExp(pattern, 'i');
    let timer = 0;
    const hear = () => {
      timer ||= setTimeout(() => {
        timer = 0;
        latest.current();
      }, GATHER);
    };
    const listener = { wanted, hear };
    listeners.add(listener);
    return () => {
      clearTimeout(timer);
      listeners.delete(listener);
    };
  }, [pattern]);
}

/** Whether the stream is open. */
export function useIsLive() {
  const [now, set] = useState(live);
  useEffect(() => {
    // It may have changed since the first look.
    set(live);
    states.add(set);
    return () => states.delete(set);
  }, []);
  return now;
}
