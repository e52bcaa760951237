// The form of a split rule.

const line = ({ payeeId, priority, allocationType, allocationPercentBps, allocationFixedAmountMinor, feePercentBps, feeFixedAmountMinor, minAmountMinor, maxAmountMinor, isEnabled }) => ({
  payeeId, priority, allocationType, allocationPercentBps, allocationFixedAmountMinor, feePercentBps, feeFixedAmountMinor,
  ...(minAmountMinor === null ? {} : { minAmountMinor }), ...(maxAmountMinor === null ? {} : { maxAmountMinor }), isEnabled,
});

const EXAMPLE = [{ payeeId: '1', priority: 1, allocationType: 'percent_bps', allocationPercentBps: 6000 }];

export const RULE = (rule) => ({
  label: rule ? 'Edit' : 'New rule',
  main: !rule,
  field: 'saveSplitRule',
  title: rule ? `Edit ${rule.name}` : 'New split rule',
  about: rule?.active ? 'It goes on sharing as it was activated until you activate this version.' : undefined,
  fields: [
    { name: 'name', label: 'Name', required: true, value: rule?.name },
    { name: 'allocationMode', label: 'Lines are', kind: 'choice', required: true, choices: ['absolute', 'weight'], value: rule?.allocationMode ?? 'absolute', labels: { absolute: 'parts and amounts', weight: 'weights of each other' } },
    { name: 'amountBase', label: 'Of', kind: 'choice', required: true, choices: ['gross_payment', 'net_settled'], value: rule?.amountBase ?? 'gross_payment' },
    { name: 'overAllocationPolicy', label: 'Where lines come to more', kind: 'choice', required: true, choices: ['scale_down', 'by_priority'], value: rule?.overAllocationPolicy ?? 'scale_down' },
    { name: 'remainderPolicy', label: 'What is left goes to', kind: 'choice', required: true, choices: ['seller', 'last_payee'], value: rule?.remainderPolicy ?? 'seller', labels: { seller: 'you', last_payee: 'the last payee' } },
    { name: 'lines', label: 'Lines', kind: 'json', rows: 10, required: true, about: 'As JSON: payeeId, priority, allocationType (percent_bps, fixed_minor, mixed) with allocationPercentBps or allocationFixedAmountMinor, and fees, bounds and isEnabled as you like. 10000 are 100 %.', value: JSON.stringify(rule ? rule.lines.map(line) : EXAMPLE, null, 2) },
  ],
  input: (values) => ({ ruleId: rule?.id, ...values }),
  reads: 'id version',
  done: (made) => `Version ${made.version} is saved.`,
});
