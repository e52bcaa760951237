// People of the account.

import { html } from '../vendor/preact.js';
import { useWho } from '../lib/who.js';
import { Actions, showSecret } from '../parts/form.js';
import { ListPage } from '../parts/list.js';
import { Day, Status, Word } from '../parts/value.js';

const ROLES = ['owner', 'finance', 'developer', 'viewer'];
const LABELS = { owner: 'Owner: all of it', finance: 'Finance: money and documents', developer: 'Developer: keys, webhooks, metrics and prices', viewer: 'Viewer: looks' };

const INVITE = {
  label: 'Invite somebody',
  main: true,
  field: 'invitePerson',
  about: 'They join by a link, once, within 7 days.',
  fields: [{ name: 'email', label: 'E-mail', kind: 'email', required: true }, { name: 'role', label: 'Role', kind: 'choice', required: true, choices: ROLES, labels: LABELS, value: 'viewer' }],
  reads: 'id email inviteUrl mailed',
  done: 'They are invited.',
  after: (made) => showSecret(`Invitation of ${made.email}`, made.mailed ? 'It is on its way by mail. This is its link, should the mail not arrive: it is shown once.' : 'Hand this link over: no mail server is set. It is shown once, and lasts for 7 days.', made.inviteUrl),
};

export default function People() {
  const { me } = useWho();
  const PEOPLE = {
    page: 'people',
    title: 'People',
    label: 'People',
    field: 'people',
    node: 'id email name role status createdAt invitationExpiresAt',
    whole: true,
    columns: [
      { label: 'Person', kind: 'prose', show: (row) => html`${row.name ?? row.email}${row.id === me.id && html` <span class="soft">(you)</span>`}` },
      { label: 'E-mail', kind: 'middle', show: (row) => row.email },
      { label: 'Role', show: (row) => html`<${Word} of=${row.role} />` },
      { label: 'Status', kind: 'middle', show: (row) => html`<${Status} of=${row.status} />` },
      { label: 'Since', kind: 'wide', show: (row) => html`<${Day} on=${row.createdAt} />` },
      {
        label: html`<span class="hidden">Actions</span>`, kind: 'number',
        show: (row, again) => html`<${Actions} small done=${again} of=${[
          { label: 'Role', field: 'changeRole', title: `Role of ${row.email}`, fields: [{ name: 'role', label: 'Role', kind: 'choice', required: true, choices: ROLES, labels: LABELS, value: row.role }], input: (values) => ({ personId: row.id, ...values }), done: 'The role is changed.' },
          { label: row.status === 'invited' ? 'Take back' : 'Remove', danger: true, field: 'removePerson', title: row.status === 'invited' ? 'Take the invitation back' : `Remove ${row.email}`, about: 'They are signed out everywhere.', input: () => ({ personId: row.id }), done: 'They are removed.' },
        ]} />`,
      },
    ],
    actions: [INVITE],
  };
  return html`<${ListPage} spec=${PEOPLE} />`;
}
