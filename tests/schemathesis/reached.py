"""Says which operations never succeeded while the server was tested; a tester who is always
refused has tested little. Fails when that is so for more than a third of them."""

import json
import re
import sys
import urllib.request

origin = sys.argv[1]


def read(path):
    with urllib.request.urlopen(origin + path, timeout=20) as answer:
        return answer.read().decode()


document = json.loads(read("/openapi.json"))
operations = {
    (method.upper(), path)
    for path, item in document["paths"].items()
    for method in item
    if method != "parameters"
}
answered = re.findall(
    r'^accrue_http_requests_total\{method="(\w+)",route="([^"]+)",status="[23]\d\d"\}',
    read("/metrics"),
    re.MULTILINE,
)
missed = sorted(operations - set(answered))
print(f"{len(operations) - len(missed)} of {len(operations)} operations succeeded at least once")
for method, path in missed:
    print(f"  never: {method} {path}")
sys.exit(len(missed) * 3 > len(operations))
