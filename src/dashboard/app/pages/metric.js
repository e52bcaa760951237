// One metric over the latest contracts that use it.

import { html, useEffect, useState } from '../vendor/preact.js';
import { ask, literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { path } from '../lib/route.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Empty, Loading, Problem } from '../parts/state.js';
import { Day, Period, Quantity } from '../parts/value.js';

/** Its usage on the newest contracts: each contract is asked by itself, all in one operation. */
function Contracts({ metric }) {
  const [rows, setRows] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    (async () => {
      const { contracts } = await ask('{ contracts(first: 40) { nodes { id contractNumber customerName customerCompanyName } } }');
      if (!contracts.nodes.length) return setRows([]);
      const used = await ask(`{ ${contracts.nodes.map((one) => `c${one.id}: usage(contractId: ${literal(one.id)}) { metrics { metricName used percentOfCap percentOfPlan periodStart periodEnd capQuantity capMode } }`).join(' ')} }`);
      return setRows(contracts.nodes.map((one) => ({ ...one, usage: used[`c${one.id}`].metrics.find((found) => found.metricName === metric) })).filter((one) => one.usage));
    })().catch(setError);
  }, [metric]);
  if (error) return html`<${Problem} error=${error} />`;
  if (!rows) return html`<${Loading} lines=${4} />`;
  if (!rows.length) return html`<${Empty} title="No contract uses it.">Among the forty newest. Its price is put on a contract, then events are counted.</${Empty}>`;
  return html`<table class="table" aria-label="Contracts"><thead><tr><th scope="col">Contract</th><th scope="col" class="middle">Period</th><th scope="col" class="middle">Limit</th><th scope="col" class="number">Used</th></tr></thead><tbody>
    ${rows.map((one) => html`<tr key=${one.id}><td><a class="row" data-row href=${path('contracts', one.id, { tab: 'usage' })}>${one.contractNumber}</a> <span class="soft">${one.customerCompanyName ?? one.customerName}</span></td><td class="middle"><${Period} from=${one.usage.periodStart} until=${one.usage.periodEnd} /></td><td class="middle">${one.usage.capQuantity ? html`<${Quantity} of=${one.usage.capQuantity} /> ${one.usage.capMode}` : '–'}</td><td class="number"><${Quantity} of=${one.usage.used} /></td></tr>`)}</tbody></table>`;
}

function make(metric) {
  return {
    title: metric.name,
    lead: metric.description,
    facts: [['Adds up', words(metric.aggregation)], ['Unit', metric.unit], ['Unique by', metric.uniqueKey], ['Version', metric.version], ['Registered', html`<${Day} on=${metric.createdAt} />`]],
    tabs: [{ name: 'contracts', label: 'Contracts', show: () => html`<${Panel} flush title="Used on"><${Contracts} metric=${metric.name} /></${Panel}>` }],
  };
}

export default function Metric({ id }) {
  return html`<${RecordPage} query=${`{ metric(name: ${literal(id)}) { name version aggregation unit uniqueKey description createdAt } }`} of="metric" list=${{ page: 'metrics', title: 'Usage' }} make=${make} />`;
}
