// The account's events as they happen. A server without the stream leaves pages as they are.

import { useEffect, useRef, useState } from '../vendor/preact.js';

/** How long events are gathered before what is on screen is read anew. */
const GATHER = 300;

/** After how long a stream that was refused is asked for again, at first and at most. */
const SOON = 5000;
const LATE = 60000;

const listeners = new Set();
const states = new Set();
let source = null;
let live = false;
let isFirst = true;
let pause = SOON;
let later = 0;

function tell(now) {
  live = now;
  for (const set of states) set(now);
}

/** All that is on screen may have changed. */
function hearAll() {
  for (const { hear } of listeners) hear();
}

function open() {
  const stream = new EventSource('/dashboard/events');
  // A stream that is taken up again says what it has seen last. One that has seen nothing begins with
  // what comes, and what happened in between is told by nobody.
  let seen = false;
  let missed = !isFirst;
  isFirst = false;
  source = stream;
  stream.onopen = () => {
    pause = SOON;
    tell(true);
    if (missed) hearAll();
    missed = false;
  };
  stream.onerror = () => {
    tell(false);
    missed ||= !seen;
    // A browser does not come back to a stream that was refused.
    if (source !== stream || stream.readyState !== EventSource.CLOSED) return;
    source = null;
    later = setTimeout(turn, pause);
    pause = Math.min(2 * pause, LATE);
  };
  stream.onmessage = (message) => {
    seen = true;
    const event = JSON.parse(message.data);
    for (const { wanted, hear } of listeners) {
      if (wanted.test(`${event.eventType} ${event.objectType}`)) hear();
    }
  };
  // More came about than is told one by one.
  stream.addEventListener('reset', hearAll);
}

function turn() {
  clearTimeout(later);
  if (document.hidden) {
    source?.close();
    source = null;
    tell(false);
  } else if (!source) {
    open();
  }
}

/** Begins to listen; a page that nobody looks at does not. */
export function listen() {
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
