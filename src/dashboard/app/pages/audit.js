// The audit log.

import { html } from '../vendor/preact.js';
import { useMay } from '../lib/who.js';
import { ListPage } from '../parts/list.js';
import { Empty } from '../parts/state.js';
import { Time, Word } from '../parts/value.js';

function Changes({ of }) {
  if (!of || of === '{}') return null;
  let values;
  try {
    values = Object.entries(JSON.parse(of));
  } catch {
    return of;
  }
  return html`<ul class="soft">${values.filter(([name]) => !/Id$/.test(name)).map(([name, value]) => html`<li><${Word} of=${name} />: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}</li>`)}</ul>`;
}

const AUDIT = {
  page: 'audit',
  title: 'Audit log',
  label: 'Audit log',
  about: 'What people and the operator did, and what keys did to webhooks and endpoints, kept for 400 days.',
  field: 'auditEntries',
  node: 'id at actor action object address changes',
  columns: [
    { label: 'What', show: (row) => html`<${Word} of=${row.action} />` },
    { label: 'Who', kind: 'prose', show: (row) => row.actor.replace(/^person:/, '').replace(/^key:/, 'key ') },
    { label: 'Of', kind: 'middle', show: (row) => row.object },
    { label: 'With', kind: 'wide', show: (row) => html`<${Changes} of=${row.changes} />` },
    { label: 'From', kind: 'wide', show: (row) => row.address },
    { label: 'When', kind: 'middle', show: (row) => html`<${Time} at=${row.at} />` },
  ],
  empty: { title: 'Nothing was done yet.' },
};

export default function Audit() {
  const may = useMay();
  if (!may('auditEntries', { reads: true })) return html`<header class="head"><h1>Audit log</h1></header><section class="panel flush"><${Empty} title="The audit log is for owners and finance." /></section>`;
  return html`<${ListPage} spec=${AUDIT} />`;
}
