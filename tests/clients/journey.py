"""A seller's journey with the client that openapi-python-client makes of the API document. The
README shows parts of this file."""

import datetime
import sys
import time
import uuid

import httpx
from accrue_client import AuthenticatedClient, Client
from accrue_client.api.contracts import amend_contract, create_contract
from accrue_client.api.customers import create_customer
from accrue_client.api.events import list_events
from accrue_client.api.invoices import create_invoice, get_invoice, list_invoices
from accrue_client.api.metering import get_contract_usage, record_usage_event
from accrue_client.api.metrics import create_metric
from accrue_client.api.payments import initialize_payment, refund_payment
from accrue_client.api.prices import set_price
from accrue_client.api.sandbox import create_sandbox_account
from accrue_client.api.subscriptions import create_subscription
from accrue_client.api.test_clock import advance_test_clock
from accrue_client.models import (
    AdvanceBody,
    Aggregation,
    AmendmentBody,
    BillingBody,
    CardBody,
    ComponentType,
    ContractStatus,
    CreateSandboxAccountBody,
    CustomerBody,
    Error,
    EventBody,
    EventBodyMetadataType0,
    EventType,
    Frequency,
    InitiationBody,
    InvoicePayload,
    InvoiceStatus,
    LineItemBody,
    LineItemBodyComponentConfigType0,
    NewContractBody,
    NewContractBodyCurrency,
    NewInvoiceBody,
    NewInvoiceBodyOrigin,
    NewMetricBody,
    NewSubscriptionBody,
    NewSubscriptionBodyCurrency,
    PriceBody,
    PriceConfigBody,
    RefundBody,
    Rounding,
    SchemeName,
)

origin = sys.argv[1]
waits = 0


class Patient(httpx.HTTPTransport):
    """Waits for as long as the server asks, and sends the same again: a write has its key."""

    def handle_request(self, request):
        global waits
        while True:
            answer = super().handle_request(request)
            if answer.status_code not in (429, 503):
                return answer
            waits += 1
            answer.close()
            time.sleep(int(answer.headers.get("Retry-After", 1)))


def ok(answer):
    assert answer is not None and not isinstance(answer, (Error, str)), answer
    return answer


def key():
    return str(uuid.uuid4())


minted = ok(
    create_sandbox_account.sync(client=Client(base_url=origin), body=CreateSandboxAccountBody())
)
api_key = minted.api_key

accrue = AuthenticatedClient(
    base_url=origin, token=api_key, httpx_args={"transport": Patient()}
)

now = datetime.datetime.now(datetime.timezone.utc)
today = now.date()
customer = ok(
    create_customer.sync(
        client=accrue, body=CustomerBody(email="ada@example.com", name="Ada Lovelace")
    )
)
plan = {"plan": "team", "seats": 5}
contract = ok(
    create_contract.sync(
        client=accrue,
        idempotency_key=key(),
        body=NewContractBody(
            seller_customer_id=customer.id,
            currency=NewContractBodyCurrency.EUR,
            start_date=today,
            line_items=[
                LineItemBody(
                    component_type=ComponentType.RECURRING,
                    quantity="1",
                    component_config=LineItemBodyComponentConfigType0.from_dict(plan),
                )
            ],
        ),
    )
)
assert contract.line_items[0].component_config.to_dict() == plan
in_force = AmendmentBody(expected_base_version=contract.version, status=ContractStatus.ACTIVE)
ok(amend_contract.sync(contract.id, client=accrue, body=in_force))
subscription = ok(
    create_subscription.sync(
        contract.id,
        client=accrue,
        idempotency_key=key(),
        body=NewSubscriptionBody(
            frequency=Frequency.MONTHLY,
            price_minor=2900,
            currency=NewSubscriptionBodyCurrency.EUR,
            start_date=today,
        ),
    )
)

# One key is one invoice, however often it is asked for.
once = f"first-invoice-of-{contract.id}"
body = NewInvoiceBody(contract_id=contract.id, origin=NewInvoiceBodyOrigin.RECURRING)
first = ok(create_invoice.sync(client=accrue, idempotency_key=once, body=body))
again = create_invoice.sync_detailed(client=accrue, idempotency_key=once, body=body)
assert again.headers["Idempotent-Replayed"] == "true"
assert ok(again.parsed).id == first.id

# Usage of a metric that has a price.
calls = NewMetricBody(name="calls", unit="call", aggregation=Aggregation.SUM)
ok(create_metric.sync(client=accrue, body=calls))
config = PriceConfigBody(
    scheme=SchemeName.PER_UNIT, currency="EUR", rounding=Rounding.HALF_UP, unit_price="0.02"
)
price = PriceBody(effective_from=today, config=config)
ok(set_price.sync(contract.id, "calls", client=accrue, body=price))
event = EventBody(
    contract_id=str(contract.id),
    metric="calls",
    quantity="250",
    occurred_at=now.replace(hour=0, minute=0, second=0, microsecond=0),
    idempotency_key=key(),
    metadata=EventBodyMetadataType0.from_dict({"region": "eu"}),
)
assert ok(record_usage_event.sync(client=accrue, body=event)).metered
assert ok(get_contract_usage.sync(contract.id, client=accrue)).metrics[0].used == "250"

# Five months pass, and each is billed.
for month in range(1, 6):
    to = now + datetime.timedelta(days=31 * month)
    ok(advance_test_clock.sync(contract.id, client=accrue, body=AdvanceBody(to=to)))


# Every invoice, page by page, newest first.
def invoices():
    cursor = 0
    while True:
        page = ok(
            list_invoices.sync(
                client=accrue, contract_id=str(contract.id), limit=2, cursor=cursor
            )
        )
        yield from page.invoices
        if not page.has_more:
            return
        cursor = page.next_cursor


every = list(invoices())
assert len(every) >= 5, len(every)
assert len({invoice.id for invoice in every}) == len(every)
assert every[-1].id == first.id
assert all(invoice.collectible_minor == subscription.price_minor for invoice in every)

# The buyer pays the first one, on the page that its link leads to.
card = {"cardNumber": "4242424242424242", "expMonth": "12", "expYear": "2040", "cvv": "123"}
paid = httpx.post(
    first.payment_url,
    json={**card, "holderName": "Ada Lovelace"},
    headers={"Accept": "application/json"},
)
assert paid.status_code == 200, paid.text
while (invoice := ok(get_invoice.sync(first.id, client=accrue))).status != InvoiceStatus.PAID:
    time.sleep(0.1)
assert invoice.outstanding_minor == 0

# Webhooks are told, and so is who asks.
events = ok(list_events.sync(client=accrue, event_type=EventType.INVOICEPAID)).events
told = InvoicePayload.from_dict(events[0].payload.to_dict())
assert told.invoice_id == first.id

# A part of a payment goes back.
order = InitiationBody(
    external_order_ref="order-1",
    amount=100,
    currency_code="EUR",
    skip_3ds=True,
    card_data=CardBody(card_number="4242424242424242", cvv="123", exp_month=12, exp_year=2040),
    billing_details=BillingBody(country="DE", zip_="10115"),
)
ok(initialize_payment.sync(client=accrue, idempotency_key=key(), body=order))
refund = refund_payment.sync(
    "order-1",
    client=accrue,
    idempotency_key=key(),
    body=RefundBody(amount=33.33, reason="damaged"),
)
assert ok(refund).amount == 33.33

# What is refused says why.
refused = get_invoice.sync_detailed(999_999, client=accrue)
assert refused.status_code == 404 and refused.parsed.error == "not found"
assert waits > 0, "the server never asked to wait"
print(f"Python: {len(every)} invoices, one of them paid; waited {waits} times")
