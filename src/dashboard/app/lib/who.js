// Who is signed in, for which account, and what they may do.

import { createContext, useContext } from '../vendor/preact.js';

export const Who = createContext({ me: {}, account: {} });

export const useWho = () => useContext(Who);

/** Whether the person may use a field of GraphQL that not everybody may. An account that waits to
 * be opened can be looked at. */
export function useMay() {
  const { me, account } = useWho();
  return (field, { reads = false } = {}) => Boolean(me.may?.includes(field)) && (reads || account.status === 'active');
}
