// One dialog and one line of news at a time, whoever asks for them.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';

let show = () => {};
let tell = () => {};

/** Shows a component in the dialog; it gets `close`. */
export const open = (View, props = {}) => show({ View, props });

/** Says in a line what has come of an action. */
export const say = (text) => tell({ text, at: Date.now() });

export function Dialogs() {
  const [shown, setShown] = useState(null);
  const [news, setNews] = useState(null);
  const dialog = useRef(null);
  const back = useRef(null);
  const closing = useRef(false);
  const outside = useRef(false);
  useEffect(() => {
    show = (next) => {
      back.current = document.activeElement;
      setShown(next);
    };
    tell = setNews;
  }, []);
  useEffect(() => {
    if (shown && !dialog.current.open) dialog.current.showModal();
  }, [shown]);
  useEffect(() => {
    const timer = news && setTimeout(() => setNews(null), 6000);
    return () => clearTimeout(timer);
  }, [news]);
  const close = () => {
    closing.current = true;
    dialog.current.close();
    setShown(null);
    if (back.current?.isConnected) back.current.focus();
  };
  // Whoever goes back leaves what is open behind, too.
  useEffect(() => {
    const leave = () => dialog.current.open && close();
    addEventListener('popstate', leave);
    return () => removeEventListener('popstate', leave);
  }, []);
  // What was closed may have another in its place by the time that this is told.
  const closed = () => {
    if (!closing.current) setShown(null);
    closing.current = false;
  };
  // Text that is marked past the edge ends in a click outside, and began inside.
  const press = (event) => (outside.current = event.target === dialog.current);
  const click = (event) => outside.current && event.target === dialog.current && close();
  return html`
    <dialog ref=${dialog} class=${`dialog ${shown?.props.kind ?? ''}`} aria-label=${shown?.props.label} onCancel=${(event) => (event.preventDefault(), close())} onClose=${closed} onPointerDown=${press} onClick=${click}>
      ${shown && html`<div class="dialog-body"><${shown.View} ...${shown.props} close=${close} /></div>`}
    </dialog>
    <div class="news" role="status" aria-live="polite">${news && html`<p key=${news.at}>${news.text}</p>`}</div>`;
}
