"""The code of clients in the README is code of the journeys: every line of it stands there."""

import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
readme = (here.parent.parent / "README.md").read_text()
section = readme.split("\n## Clients\n")[1].split("\n## ")[0]
journeys = {"ts": here / "journey.ts", "python": here / "journey.py"}
blocks = re.findall(r"```(ts|python)\n(.*?)```", section, re.DOTALL)
if len({language for language, _ in blocks}) != 2:
    sys.exit("the README shows no code of both clients")
for language, block in blocks:
    if block not in journeys[language].read_text():
        sys.exit(f"the README shows what {journeys[language].name} does not do:\n{block}")
