"""A seller of a running server, with what an electronic invoice needs, and its documents."""

import datetime
import json
import urllib.error
import urllib.request

START = datetime.datetime.now(datetime.timezone.utc).date().isoformat()

ADDRESS = {
    "name": "Bücher & Söhne GmbH",
    "country": "DE",
    "taxId": "DE123456788",
    "addressLine1": "Unter den Linden 5",
    "city": "Berlin",
    "postalCode": "10117",
    "phone": "+49 30 1234567",
}
BILL_TO = {
    "email": "billing@example.com",
    "name": "Σοφία Παπαδοπούλου",
    "companyName": "Zażółć Gęślą Jaźń Sp. z o.o.",
    "taxId": "PL5260001246",
    "addressLine1": "ul. Świętokrzyska 12/4",
    "city": "Łódź",
    "postalCode": "90-001",
    "country": "PL",
}


def line(description="Service", quantity="1", price=1000, **more):
    return {"description": description, "quantity": quantity, "unitPriceMinor": price, **more}


class Seller:
    def __init__(self, origin, operator):
        self.origin, self.drawn, self.key = origin, 0, None
        minted = self.call("POST", "/billing-api/v1/sandbox/accounts", {})
        self.key, self.minted = minted["apiKey"], minted
        self.operator = operator
        self.change(ADDRESS)

    def change(self, profile):
        """Changes what is known of the seller, as the operator does."""
        self.key, key = self.operator, self.key
        account = f"/backoffice/v1/sellers/{self.minted['sellerAccountId']}"
        self.call("PATCH", account, profile)
        self.key = key

    def send(self, method, path, body=None):
        """Status, media type and body of an answer."""
        self.drawn += 1
        headers = {"content-type": "application/json", "idempotency-key": f"key-{self.drawn}"}
        if self.key:
            headers["authorization"] = f"Bearer {self.key}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.origin + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.headers.get_content_type(), answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.headers.get_content_type(), refused.read()

    def call(self, method, path, body=None):
        status, _, answer = self.send(method, path, body)
        assert status < 300, f"{method} {path} answered {status} {answer!r}"
        return json.loads(answer)

    def invoice(self, lines, **more):
        body = {"origin": "adhoc", "currency": "EUR", "billTo": BILL_TO, "lines": lines, **more}
        return self.call("POST", "/billing-api/v1/invoices", body)

    def credit_note(self, corrected, lines, **more):
        """A credit note of lines in positive amounts; their tax is that of the invoice."""
        kind = {"invoiceType": "credit_note", "corrects": corrected["invoiceNumber"]}
        return self.call("POST", "/billing-api/v1/invoices", {**kind, "lines": lines, **more})

    def term(self):
        """The invoice of a subscription's first term."""
        contract = {
            "sellerCustomerId": self.minted["customers"][0]["id"],
            "currency": "EUR",
            "startDate": START,
        }
        contract = self.call("POST", "/billing-api/v1/contracts", contract)["id"]
        subscription = {
            "frequency": "monthly",
            "priceMinor": 2_999,
            "quantity": "3",
            "currency": "EUR",
            "taxRate": "19",
            "startDate": START,
        }
        path = f"/billing-api/v1/contracts/{contract}/subscriptions"
        self.call("POST", path, subscription)
        body = {"origin": "recurring", "contractId": contract, "billTo": BILL_TO}
        return self.call("POST", "/billing-api/v1/invoices", body)

    def file(self, invoice, kind):
        return self.send("GET", f"/billing-api/v1/invoices/{invoice['id']}/{kind}")
