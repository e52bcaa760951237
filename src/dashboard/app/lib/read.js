// What a page reads, kept in step with the server.

import { useCallback, useEffect, useRef, useState } from '../vendor/preact.js';
import { ask } from './api.js';
import { useLive } from './live.js';

/** `{data, error, busy, again}` of a query. What was read stays on screen while it is read anew;
 * `watch` is a pattern of the events that have it read anew, `get` what asks where one question is not enough. */
export function useAsk(query, watch = '', get = ask) {
  const [state, set] = useState({ query: null, data: null, error: null, busy: true });
  const running = useRef(null);
  const again = useCallback(async () => {
    running.current?.abort();
    const control = (running.current = new AbortController());
    set((old) => ({ ...old, busy: true }));
    try {
      const data = await get(query, control.signal);
      if (!control.signal.aborted) set({ query, data, error: null, busy: false });
    } catch (error) {
      if (!control.signal.aborted) set((old) => ({ query, data: old.query === query ? old.data : null, error, busy: false }));
    }
  }, [query]);
  useEffect(() => {
    if (query) again();
    return () => running.current?.abort();
  }, [query]);
  useLive(watch, again);
  useEffect(() => {
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [again]);
  const fresh = state.query === query || state.data;
  return { ...(fresh ? state : { data: null, error: null, busy: true }), again };
}
