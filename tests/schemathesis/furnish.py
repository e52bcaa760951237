"""Mints a seller with one object of every kind; prints its key, then a configuration that
puts the objects' ids where paths name them."""

import json
import sys
import time
import urllib.request

origin = sys.argv[1]
drawn = 0


def call(method, path, body=None, key=None, kind="application/json"):
    global drawn
    drawn += 1
    headers = {"content-type": kind}
    if key:
        headers["authorization"] = f"Bearer {key}"
        headers["idempotency-key"] = f"00000000-0000-4000-8000-{drawn:012}"
    if body is not None and not isinstance(body, str):
        body = json.dumps(body)
    data = None if body is None else body.encode()
    request = urllib.request.Request(origin + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


minted = call("POST", "/billing-api/v1/sandbox/accounts", {})
key = minted["apiKey"]
customer = minted["customers"][0]["id"]
today = call("GET", f"/billing-api/v1/customers/{customer}", key=key)["createdAt"][:10]
contract = call(
    "POST",
    "/billing-api/v1/contracts",
    {"sellerCustomerId": customer, "currency": "EUR", "startDate": today},
    key,
)["id"]
subscription = call(
    "POST",
    f"/billing-api/v1/contracts/{contract}/subscriptions",
    {"frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": today},
    key,
)["id"]
webhook = call(
    "POST",
    "/payments-api/v1/webhooks",
    {"webhookUrl": "http://127.0.0.1:9/hook"},
    key,
)["id"]
entry = call("POST", "/payments-api/v1/webhook-allowlist", {"cidr": "127.0.0.0/8"}, key)["id"]
invoice = call(
    "POST",
    "/billing-api/v1/invoices",
    {
        "contractId": contract,
        "origin": "one_time",
        "lines": [{"description": "Set-up", "quantity": "1", "unitPriceMinor": 5000}],
    },
    key,
)
line = call("GET", f"/billing-api/v1/invoices/{invoice['id']}", key=key)["lines"][0]["lineId"]
metric = call(
    "POST",
    "/billing-api/v1/usage/metrics",
    {"name": "api.calls", "unit": "calls", "aggregation": "sum"},
    key,
)["name"]
call(
    "POST",
    "/billing-api/v1/usage/events",
    {
        "contractId": str(contract),
        "metric": metric,
        "quantity": "3",
        "occurredAt": f"{today}T00:00:00Z",
        "idempotencyKey": "furniture",
    },
    key,
)
config = {
    "scheme": "graduated",
    "currency": "EUR",
    "rounding": "half_up",
    "tiers": [{"upTo": None, "unitPrice": "0.02"}],
}
for prefix in ("/billing-api/v1/usage", "/usage/v1"):
    price = f"{prefix}/contracts/{contract}/metrics/{metric}/price"
    call("PUT", price, {"effectiveFrom": today, "config": config}, key)
    call("GET", price, key=key)
    call("POST", f"{prefix}/prices/evaluate", {"config": config, "quantities": ["7"]}, key)
call("POST", "/billing-api/v1/prices/evaluate", {"config": config, "quantities": ["7"]}, key)
endpoint = call("POST", "/billing-api/v1/usage/webhook-endpoints", {"description": "A"}, key)["id"]
# A row that is refused becomes a dead letter.
mapping = {
    "contractId": {"const": str(contract)},
    "metric": {"const": "unheard.of"},
    "quantity": "quantity",
    "occurredAt": {"const": f"{today}T00:00:00Z"},
}
parts = {"file": "quantity\n1\n", "mapping": json.dumps(mapping)}
form = "".join(
    f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{content}\r\n'
    for name, content in parts.items()
)
upload = call(
    "POST",
    "/billing-api/v1/usage/csv",
    form + "--b--\r\n",
    key,
    "multipart/form-data; boundary=b",
)["uploadId"]
letters = []
while not letters:
    letters = call("GET", "/billing-api/v1/usage/dead-letters", key=key)["deadLetters"]
    time.sleep(0.05)
deliveries = []
while not deliveries:
    deliveries = call("GET", "/payments-api/v1/webhook-deliveries", key=key)["deliveries"]
    time.sleep(0.05)

payee = minted["payees"][0]["id"]
methods = call("GET", f"/payments-api/v1/payees/{payee}/payout-methods", key=key)
method = methods["payoutMethods"][0]["id"]

PAYMENTS = "/payments-api/v1"
order = {
    "externalOrderRef": "furniture",
    "amount": 100,
    "currencyCode": "EUR",
    "skip3DS": True,
    "cardData": {"cardNumber": "4242424242424242", "cvv": "123", "expMonth": 12, "expYear": 2040},
    "billingDetails": {"country": "DE", "zip": "10115"},
    "orderData": {"totalAmount": 100, "payeeDistribution": [{"payeeId": payee, "amount": 60}]},
}
call("POST", f"{PAYMENTS}/initialize-payment", order, key)
call("POST", f"{PAYMENTS}/payments/furniture/refund", {"amount": 10}, key)
held = {**order, "externalOrderRef": "held", "captureMode": "manual", "autoSettlement": False}
for reference, act in (("held-1", "capture"), ("held-2", "cancel")):
    call("POST", f"{PAYMENTS}/initialize-payment", {**held, "externalOrderRef": reference}, key)
    call("POST", f"{PAYMENTS}/payments/{reference}/{act}", {}, key)
session = call(
    "POST",
    f"{PAYMENTS}/checkout",
    {
        "externalOrderRef": "session",
        "amount": 5,
        "currencyCode": "EUR",
        "returnUrls": {"success": "http://localhost/a", "failure": "http://localhost/b"},
    },
    key,
)["sessionId"]
wallet = minted["wallets"][1]["id"]
while call("GET", f"{PAYMENTS}/wallets/{wallet}", key=key)["withdrawableBalanceMinor"] < 1000:
    time.sleep(0.05)
body = {"payoutMethodId": method, "amount": "3.00", "idempotencyKey": "furniture"}
payout = call("POST", f"{PAYMENTS}/payees/{payee}/payouts", body, key)["id"]

print(key)
print("[parameters]")
for name, value in {
    "path.contractId": contract,
    "path.subscriptionId": subscription,
    "path.customerId": customer,
    "path.invoiceId": invoice["id"],
    "path.webhookId": webhook,
    "path.entryId": entry,
    "path.deliveryId": deliveries[0]["id"],
    "path.lineId": line,
    "path.payeeId": payee,
    "path.methodId": method,
    "path.walletId": wallet,
    "path.externalOrderRef": "furniture",
    "path.sessionId": session,
    "path.payoutId": payout,
    "path.metric": metric,
    "path.metricName": metric,
    "path.endpointId": endpoint,
    "path.uploadId": upload,
    "path.deadLetterId": letters[0]["id"],
    "path.token": invoice["paymentUrl"].rsplit("/", 1)[1],
    "path.file": "docs.css",
}.items():
    print(f'"{name}" = {json.dumps(value)}')
