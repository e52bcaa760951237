// GraphQL by the session's cookie. A query that fails throws a Refusal, which says what to do.

import { ahead } from './format.js';

const ENDPOINT = '/dashboard/graphql';

export class Refusal extends Error {
  constructor(message, code, more = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

/** A literal of GraphQL; ids are written as texts, which both ids and texts take. */
export function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value && typeof value === 'object') return `{${pairs(value)}}`;
  return JSON.stringify(value);
}

function pairs(values) {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}: ${literal(value)}`)
    .join(', ');
}

/** The arguments of a field, in parentheses; nothing for none. */
export function args(values = {}) {
  const text = pairs(values);
  return text ? `(${text})` : '';
}

/** A key under which the same operation is carried out once, however often it is sent. */
export const drawKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What is of whatever shape: its numbers go back digit for digit. */
const FREE = ['componentConfig'];

/** An answer of JSON. A number of a free value that is written otherwise once it was read, such as
 * 1.50, stays as it came, where the browser can do that. */
function read(text) {
  let raw = false;
  const parsed = JSON.parse(text, (_, value, context) => {
    if (typeof value !== 'number' || !JSON.rawJSON || String(value) === context.source) return value;
    raw = true;
    return JSON.rawJSON(context.source);
  });
  return raw ? settled(parsed, false) : parsed;
}

function settled(value, free) {
  if (!value || typeof value !== 'object') return value;
  if (JSON.isRawJSON(value)) return free ? value : Number(value.rawJSON);
  for (const name of Object.keys(value)) value[name] = settled(value[name], free || FREE.includes(name));
  return value;
}

/** The whole number that a free value is, however it is written; null for all else. */
export function whole(value) {
  const number = JSON.isRawJSON?.(value) ? Number(value.rawJSON) : value;
  return Number.isSafeInteger(number) ? number : null;
}

/** The text that a free value is; nothing for all else. */
export const textOf = (value) => (typeof value === 'string' ? value : '');

/** The answer to an operation as it came: some fields of it may be refused while others are not. */
export async function send(query, signal, variables, key) {
  let response;
  try {
    response = await fetch(ENDPOINT, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify({ query, variables }),
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal('The server does not answer.', 'OFFLINE');
  }
  const body = await response.text().then(read).catch(() => null);
  if (body && (body.data || body.errors)) return body;
  if (response.ok) throw new Refusal('The answer did not come to its end.', 'OFFLINE');
  throw new Refusal(body?.error ?? (response.status === 401 ? 'Your session is over.' : `The server answered ${response.status}.`),
    { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 429: 'TOO_MANY_REQUESTS', 503: 'UNAVAILABLE' }[response.status] ?? 'INTERNAL',
    { retryAfter: Number(response.headers.get('retry-after')) || undefined });
}

/** What a query reads; one refused field refuses all of it. */
export async function ask(query, signal, variables, key) {
  const { data, errors } = await send(query, signal, variables, key);
  if (errors?.length) throw refusal(errors[0]);
  return data;
}

/** Carries a mutation out with one input, and reads `selection` of its answer. */
export async function act(name, input, selection, key) {
  const type = `${name[0].toUpperCase()}${name.slice(1)}Input`;
  const data = await ask(`mutation ($input: ${type}!) { ${name}(input: $input) ${selection ? `{ ${selection} }` : ''} }`, undefined, { input }, key);
  return data[name];
}

export function refusal({ message, extensions = {} }) {
  const { code = 'INTERNAL', ...more } = extensions;
  if (/^Unknown (field|argument)/.test(message)) return new Refusal(message, 'NOT_AVAILABLE');
  return new Refusal(message, code, more);
}

/** Whether nobody knows what became of an action: no answer came, or the server could not tell. One
 * that has no room for an answer has carried the action out before. */
export const isLost = ({ code }) => ['OFFLINE', 'INTERNAL', 'UNAVAILABLE'].includes(code);

/** Whether a refusal stands for minutes: to ask again at once is of no use. */
export const isLasting = (error) => error.more.retryAfter > 60;

/** What somebody can do about a refusal. */
export function advice(error) {
  switch (error.code) {
    case 'OFFLINE':
      return 'Check your connection; this page tries again when it is back.';
    case 'UNAUTHENTICATED':
      return 'Sign in again to go on.';
    case 'FORBIDDEN':
      return 'Ask an owner of the account for a role that may.';
    case 'NOT_FOUND':
      return 'It may have been removed, or belong to another account.';
    case 'CONFLICT':
      return 'Somebody was faster. Look at it again and repeat what is still wanted.';
    case 'TOO_MANY_REQUESTS':
      return `Try again ${error.more.retryAfter ? ahead(error.more.retryAfter) : 'in a minute'}.`;
    case 'UNAVAILABLE':
      // It says itself why.
      if (isLasting(error)) return '';
    // falls through
    case 'STORAGE_FULL':
      return 'The server takes no work at the moment. Try again shortly.';
    case 'NOT_AVAILABLE':
      return 'This server does not have it.';
    default:
      return '';
  }
}
