"""Writes VAT ids of every member of the EU, and whether python-stdnum takes them, to standard
output: the reference that `actors/src/domain/billing/tax/vat_id/tests.rs` compares with.

    python3 -m venv venv && venv/bin/pip install python-stdnum==2.2
    venv/bin/python tests/vat_ids/generate.py > actors/src/domain/billing/tax/vat_id/reference.txt
"""

import random
import re
import sys

from stdnum import get_cc_module

SHAPES = {
    "AT": ["U########"],
    "BE": ["0#########", "1#########", "#########"],
    "BG": ["#########", "##########", "yymMdd####"],
    "CY": ["########A"],
    "CZ": ["########", "6########", "yymMdd###", "yymMdd####", "##########"],
    "DE": ["#########"],
    "DK": ["########"],
    "EE": ["#########"],
    "ES": ["########A", "A########", "A#######A"],
    "FI": ["########"],
    "FR": ["###########", "A##########", "#A#########", "AA#########", "##000######"],
    "GR": ["#########", "########"],
    "HR": ["###########"],
    "HU": ["########"],
    "IE": ["#######A", "#######AA", "#A#####A", "#+#####A", "#*#####A"],
    "IT": ["#######0###", "###########"],
    "LT": ["#######1#", "##########1#", "#########"],
    "LU": ["########"],
    "LV": ["###########", "ddmMyy#####", "32#########"],
    "MT": ["########"],
    "NL": ["#########B0#", "#########B##", "########B01"],
    "PL": ["##########"],
    "PT": ["#########"],
    "RO": ["##", "######", "##########", "1yymMdd0#####", "2yymMdd4#####", "5yymMdd0#####"],
    "SE": ["##########01", "############"],
    "SI": ["########"],
    "SK": ["##########", "yymMdd####"],
}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def drawn(shape):
    """A text of the shape: `#` is a digit, `A` a letter, `mM` a month, `dd` a day."""
    text = shape.replace("mM", f"{random.choice([0, 0, 20, 40, 50, 70]) + random.randint(1, 12):02}")
    text = text.replace("dd", f"{random.randint(1, 31):02}")
    text = re.sub("[#y]", lambda _: str(random.randint(0, 9)), text)
    return re.sub("A", lambda _: random.choice(LETTERS), text)


def near(text):
    """The text with one character other than it was, two swapped, one more or one less."""
    at = random.randrange(len(text))
    kind = random.randrange(4)
    if kind == 0:
        return text[:at] + random.choice("0123456789" + LETTERS) + text[at + 1 :]
    if kind == 1 and at + 1 < len(text):
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    if kind == 2:
        return text[:at] + text[at + 1 :]
    return text[:at] + str(random.randint(0, 9)) + text[at:]


def main():
    random.seed(27)
    print("# Made by tests/vat_ids/generate.py with python-stdnum 2.2.")
    for country, shapes in SHAPES.items():
        module = get_cc_module(country.lower(), "vat")
        # Only the bare number: prefixes and separators are not what is compared.
        taken = lambda text: text and module.is_valid(text) and not text.startswith(country)
        rows = {}
        for shape in shapes:
            valid = tries = 0
            while valid < 24 // len(shapes) + 6 and tries < 200_000:
                tries += 1
                text = drawn(shape)
                if taken(text):
                    rows[text] = True
                    valid += 1
                elif sum(not known for known in rows.values()) < 12:
                    rows[text] = False
            if not valid:
                sys.exit(f"{country}: nothing of the shape {shape} is taken")
        for text in [text for text, known in rows.items() if known]:
            changed = near(text)
            if changed and not changed.startswith((country, "EL")):
                rows[changed] = bool(taken(changed))
        for text, known in rows.items():
            print(country, text, "valid" if known else "invalid")


main()
