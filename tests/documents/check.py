"""Makes documents of every kind on a running server, and holds their files against the rules."""

import io
import json
import pathlib
import re
import sys

import facturx
import pdf_oxide
import pikepdf
import pypdfium2
import zxingcpp

import rules
from seller import Seller, line

PERIOD = {"periodStart": "2026-11-01", "periodEnd": "2026-12-01"}
FX = "{urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#}"

passed = 0
failures = []


def holds(what, condition, told=""):
    global passed
    passed += bool(condition)
    if not condition:
        failures.append(f"{what}: {told}")


def documents(seller):
    """Invoices by what is special about them."""
    taxed = {"taxRate": "19", **PERIOD}
    yield "two rates, a discount, parts of a unit", seller.invoice(
        [
            line("Platform, monthly", "1", 249_000, **taxed),
            line("Support & more", "3", 12_500, discountMinor=2_500, **taxed),
            line("Handbook <printed>", "2", 4_200, taxRate="7", **PERIOD),
            line("Ἔργον, Київ, Łódź", "0.125", 99_999, **taxed),
        ],
        memo="Thank you for your business.\nUntil soon.",
    )
    yield "no rate", seller.invoice([line()])
    yield "a rate of four decimals", seller.invoice([line("Odd", "7", 333, taxRate="21.1234")])
    yield "a deduction", seller.invoice(
        [line("Work", "10", 10_000, taxRate="19"), line("Rebate", "1", -2_500, taxRate="19")]
    )
    yield "nothing to pay", seller.invoice([line("Trial", "1", 0, taxRate="19")])
    yield "by bank transfer", seller.invoice([line()], collectionMethod="bank_transfer")
    for category in ["E", "AE", "K", "G", "O"]:
        made = seller.invoice([line(taxCategory=category, **PERIOD)])
        yield f"category {category}", made
    yield "exempt beside taxed", seller.invoice(
        [line(taxCategory="E"), line(taxRate="19"), line(taxCategory="AE")]
    )
    yield "a term of a subscription", seller.term()
    corrected = seller.invoice(
        [line("Platform", "1", 249_000, **taxed), line("Handbook", "2", 4_200, taxRate="7")]
    )
    part = [line("Platform", "0.5", 100_001), line("Handbook", "1", 4_200)]
    yield "a credit note of two rates", seller.credit_note(corrected, part, memo="Too much.")
    exempt = seller.invoice([line(taxCategory="AE", **PERIOD)])
    yield "a credit note of all", seller.credit_note(exempt, [line(**PERIOD)])
    yield "letters of other scripts", seller.invoice(
        [
            line(name)
            for name in [
                "東京都 さくら 김민준", "דוד כהן", "محمد بن علي", "Հայերեն ქართული", "สมชาย", "मोहन शर्मा",
            ]
        ]
    )
    yield "160 lines", seller.invoice(
        [line(f"Service {n}", "2", 1_050, taxRate="19") for n in range(160)]
    )


def check_xml(what, seller, invoice, files):
    for syntax in ["cii", "ubl"]:
        status, kind, xml = seller.file(invoice, f"xml?syntax={syntax}")
        (files / f"{invoice['invoiceNumber']}-{syntax}.xml").write_bytes(xml)
        told = f"{status} {kind} {xml[:300]!r}"
        holds(f"{what}, {syntax}", (status, kind) == (200, "application/xml"), told)
        if status == 200:
            found = rules.broken(syntax, xml)
            holds(f"{what}, {syntax}", not found, "\n    ".join(["", *found]))
    holds(what, invoice["eInvoice"] == {"available": True}, invoice["eInvoice"])
    if is_credit_note(invoice):
        check_credit_note(what, seller, invoice)


def is_credit_note(invoice):
    return invoice["invoiceType"] == "credit_note"


def check_credit_note(what, seller, note):
    """It says what it is and which invoice it corrects, and states its amounts above zero."""
    total = f"{-note['grandTotalMinor'] / 100:.2f}"
    for syntax, parts in {
        "cii": ["<ram:TypeCode>381<", f">{total}</ram:GrandTotalAmount>"],
        "ubl": ["<CreditNote ", f">{total}</cbc:TaxInclusiveAmount>"],
    }.items():
        _, _, xml = seller.file(note, f"xml?syntax={syntax}")
        for part in [note["corrects"], *parts]:
            holds(f"{what}, {syntax}", part in xml.decode(), f"{part!r} is not in {xml[:3000]!r}")


def texts(pdf):
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_range() for page in document]


def codes(pdf):
    """What the QR codes say."""
    pages = pypdfium2.PdfDocument(pdf)
    images = (page.render(scale=2).to_pil() for page in pages)
    return [code.text for image in images for code in zxingcpp.read_barcodes(image)]


def check_pdf(what, seller, invoice, files):
    status, kind, pdf = seller.file(invoice, "pdf")
    holds(what, (status, kind) == (200, "application/pdf"), f"{status} {kind}")
    path = files / f"{invoice['invoiceNumber']}.pdf"
    path.write_bytes(pdf)
    report = pdf_oxide.PdfDocument(str(path)).validate_pdf_a("3b")
    holds(f"{what}, PDF/A", report["valid"], report)
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        faults = opened.check_pdf_syntax()
        holds(f"{what}, syntax", not faults, faults)
        attached = list(opened.attachments)
        with opened.open_metadata() as metadata:
            holds(f"{what}, level", metadata.pdfa_status == "3B", metadata.pdfa_status)
            level = metadata.get(f"{FX}ConformanceLevel")
        available = invoice["eInvoice"]["available"]
        holds(f"{what}, attachment", attached == ["factur-x.xml"] * available, attached)
        holds(f"{what}, Factur-X", level == ("EN 16931" if available else None), level)
        if available:
            kind = opened.Root.AF[0].AFRelationship
            holds(f"{what}, relationship", kind == "/Alternative", kind)
            name, xml = facturx.get_xml_from_pdf(pdf, check_xsd=True)
            _, _, served = seller.file(invoice, "xml")
            holds(f"{what}, data", (name, xml) == ("factur-x.xml", served), name)
    check_words(what, invoice, texts(pdf))
    url = invoice.get("paymentUrl")
    open_ = url and invoice["status"] != "paid"
    holds(f"{what}, code", codes(pdf) == [url] * bool(open_), codes(pdf))
    return pdf


def check_words(what, invoice, pages):
    text = " ".join("\n".join(pages).split())
    expected = [invoice["invoiceNumber"], invoice["seller"]["name"]]
    expected += [of["description"] for of in invoice["lines"]]
    sign = -1 if is_credit_note(invoice) else 1
    expected.append(f"EUR {sign * invoice['grandTotalMinor'] / 100:,.2f}")
    if is_credit_note(invoice):
        expected += ["Credit note", invoice["corrects"]]
    bill_to = invoice["billTo"]
    expected += [bill_to.get("companyName") or bill_to["email"], bill_to["email"]]
    expected += [f"Page {n} of {len(pages)}" for n in range(1, len(pages) + 1)]
    for part in expected:
        holds(f"{what}, words", part in text, f"{part!r} is not in {text[:2000]!r}")
    forward = re.findall(r"Carried forward\s+([\d,.]+)", text)
    brought = re.findall(r"Brought forward\s+([\d,.]+)", text)
    holds(f"{what}, carried", forward == brought and len(forward) == len(pages) - 1, forward)


def check_missing(seller, files):
    """A document that cannot be an electronic invoice says why, and is printed all the same."""
    short = seller.invoice([line(taxCategory="AE")], billTo={"email": "n@example.com"})
    lacks = ["billTo.name", "billTo.country", "billTo.taxId"]
    holds("missing", short["eInvoice"] == {"available": False, "missing": lacks}, short["eInvoice"])
    for syntax in ["cii", "ubl"]:
        status, _, answer = seller.file(short, f"xml?syntax={syntax}")
        text = json.loads(answer)["error"]
        named = all(field in text for field in lacks)
        holds("missing", status == 422 and named, f"{status} {text}")
    check_pdf("missing", seller, short, files)


def check_tax_number(seller, files):
    """A seller that has a number at its tax office and no VAT id."""
    seller.change({"taxId": "30/123/45678"})
    for more in [{"taxRate": "19"}, {"taxCategory": "E"}, {"taxCategory": "AE"}]:
        invoice = seller.invoice([line(**more)])
        check_xml(f"tax number {more}", seller, invoice, files)
        check_pdf(f"tax number {more}", seller, invoice, files)


def check_the_rules(seller):
    """That the rules see a fault at all."""
    _, _, xml = seller.file(seller.invoice([line()]), "xml")
    for right, wrong in [(b">10.00</ram:GrandTotalAmount>", b">10.01</ram:GrandTotalAmount>"),
                         (b"<ram:TypeCode>380<", b"<ram:TypeCode>999<"),
                         (b"DE123456788", b"QQ123456788")]:
        assert right in xml, xml
        holds("the rules", rules.broken("cii", xml.replace(right, wrong)), f"{wrong!r} was taken")


def main(origin, operator, folder):
    files = pathlib.Path(folder)
    files.mkdir(parents=True, exist_ok=True)
    seller = Seller(origin, operator)
    check_the_rules(seller)
    for what, invoice in documents(seller):
        check_xml(what, seller, invoice, files)
        check_pdf(what, seller, invoice, files)
    check_missing(seller, files)
    check_tax_number(seller, files)
    for failure in failures:
        print(failure)
    print(f"{passed} passed, {len(failures)} failed")
    return bool(failures)


sys.exit(main(*sys.argv[1:]))
