// One subscription and what can be done with it.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { subscriptionActions } from '../parts/amending.js';
import { RecordPage } from '../parts/record.js';
import { States } from '../parts/states.js';
import { Day, Money, Period, Quantity, Status, Time, To } from '../parts/value.js';

const FIELDS = 'id description status priceMinor quantity currency frequency startDate endDate trialEnd trialEndBehavior currentPeriodStart currentPeriodEnd cancelAt canceledAt cancelReason pausedAt resumesAt taxRate collectionMethod contractId sellerCustomerId createdAt pendingChange { effectiveDate frequency priceMinor quantity }';

const NODES = [
  { name: 'scheduled', x: 0, y: 0 },
  { name: 'trialing', x: 0, y: 1 },
  { name: 'active', x: 1, y: 0 },
  { name: 'paused', x: 1, y: 1 },
  { name: 'expired', x: 2, y: 0 },
  { name: 'past_due', x: 2, y: 1 },
  { name: 'canceled', x: 3, y: 1 },
];
const MOVES = [['scheduled', 'active'], ['scheduled', 'trialing'], ['trialing', 'active'], ['active', 'paused'], ['active', 'expired'], ['active', 'past_due'], ['past_due', 'canceled']];

function make(subscription) {
  const { currency, pendingChange: change } = subscription;
  return {
    title: subscription.description ?? `Subscription ${subscription.id}`,
    status: html`<${Status} of=${subscription.status} />`,
    amount: html`<${Money} minor=${subscription.priceMinor} currency=${currency} /><span class="soft">${words(subscription.frequency).toLowerCase()}</span>`,
    actions: subscriptionActions(subscription),
    above: html`<section class="panel"><${States} label="Status" nodes=${NODES} moves=${MOVES} now=${subscription.status} /></section>`,
    facts: [
      ['Contract', html`<${To} page="contracts" id=${subscription.contractId} query=${{ tab: 'subscriptions' }} />`],
      ['Customer', html`<${To} page="customers" id=${subscription.sellerCustomerId} />`],
      ['Quantity', html`<${Quantity} of=${subscription.quantity} />`],
      ['Running term', subscription.currentPeriodStart && html`<${Period} from=${subscription.currentPeriodStart} until=${subscription.currentPeriodEnd} />`],
      ['First day', html`<${Day} on=${subscription.startDate} />`],
      subscription.endDate && ['Last day', html`<${Day} on=${subscription.endDate} />`],
      subscription.trialEnd && ['Trial until', html`<${Day} on=${subscription.trialEnd} />, then ${subscription.trialEndBehavior}`],
      subscription.taxRate && ['Tax', `${subscription.taxRate} %`],
      subscription.cancelAt && ['Ends on', html`<${Day} on=${subscription.cancelAt} />`],
      subscription.canceledAt && ['Cancelled', html`<${Time} at=${subscription.canceledAt} />`],
      ['Reason', subscription.cancelReason],
      subscription.pausedAt && ['Paused', html`<${Time} at=${subscription.pausedAt} />`],
      subscription.resumesAt && ['Resumes', html`<${Day} on=${subscription.resumesAt} />`],
      change && ['Changes', html`<${Day} on=${change.effectiveDate} />: <${Money} minor=${change.priceMinor} currency=${currency} /> × ${change.quantity}, ${change.frequency}`],
      ['Made', html`<${Time} at=${subscription.createdAt} />`],
    ],
  };
}

export default function Subscription({ id }) {
  return html`<${RecordPage} query=${`{ subscription(id: ${literal(id)}) { ${FIELDS} } }`} of="subscription" watch="Subscription" list=${{ page: 'subscriptions', title: 'Subscriptions' }} make=${make} />`;
}
