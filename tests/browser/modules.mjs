// Modules of the dashboard without a browser, for what their code comes to by itself: a copy whose
// hooks stand still, so that a component is called as a function and answers what it would draw.

import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const APP = fileURLToPath(new URL('../../src/dashboard/app/', import.meta.url));

/** Effects happen at once and are never undone; what is set is forgotten. */
const HOOKS = `
export * from './whole.js';
export const useCallback = (call) => call;
export const useContext = () => globalThis.who;
export const useEffect = (effect) => void effect();
export const useId = () => 'id';
export const useLayoutEffect = useEffect;
export const useMemo = (make) => make();
export const useRef = (current) => ({ current });
export const useState = (first) => [typeof first === 'function' ? first() : first, () => {}];
`;

/** What stands in for the browser's own while modules are loaded. */
function stand(name, value) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** A copy for a reader of a language, with more `globals`, `who` is signed in among them; `close`
 * removes it. */
export async function openModules(language = 'en-GB', globals = {}) {
  stand('navigator', { languages: [language] });
  stand('who', { me: {}, account: {} });
  for (const [name, value] of Object.entries(globals)) stand(name, value);
  const folder = await mkdtemp(join(tmpdir(), 'accrue-modules-'));
  await cp(APP, folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await rename(join(folder, 'vendor/preact.js'), join(folder, 'vendor/whole.js'));
  await writeFile(join(folder, 'vendor/preact.js'), HOOKS);
  return {
    load: (path) => import(pathToFileURL(join(folder, path)).href),
    close: () => rm(folder, { recursive: true }),
  };
}

/** Everything that was drawn, from the outside in; components are called for what they draw. */
export function drawn(node) {
  if (Array.isArray(node)) return node.flatMap(drawn);
  if (node === null || node === undefined || typeof node === 'boolean') return [];
  if (typeof node !== 'object') return [String(node)];
  if (typeof node.type === 'function') return drawn(node.type(node.props));
  return [node, ...drawn(node.props.children)];
}

/** The text of what was drawn. */
export const textOf = (node) => drawn(node).filter((one) => typeof one === 'string').join('');
