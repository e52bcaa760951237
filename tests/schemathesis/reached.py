"""Says which operations never succeeded while the server was tested; a tester who is always
refused has tested little. Fails when that is so for more than a third of those that need no
session of a person: the tester has keys alone."""

import json
import re
import sys
import urllib.request

origin = sys.argv[1]
SESSION = "session"


def read(path):
    with urllib.request.urlopen(origin + path, timeout=20) as answer:
        return answer.read().decode()


def of_a_person(operation):
    return any(SESSION in scheme for scheme in operation.get("security", []))


documents = [json.loads(read(path)) for path in ("/openapi.json", "/openapi-pages.json")]
operations = {
    (method.upper(), path)
    for document in documents
    for path, item in document["paths"].items()
    for method, operation in item.items()
    if method != "parameters" and not of_a_person(operation)
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
