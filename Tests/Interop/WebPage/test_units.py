"""The unit tests of `crypto/` and `client/`, which are modules, in each browser: unit/*.js.

Without a gateway. `PARLEY_VECTORS` names the folder of public test vectors; without it their tests are counted as
skipped.
"""

import http.server
import os
import tempfile
import threading
import unittest
from pathlib import Path

from browsers import BROWSERS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NAMES = os.environ.get("PARLEY_BROWSERS", "chromium firefox").split()
VECTORS = os.environ.get("PARLEY_VECTORS")
SHARED = (
    "harness.js", "known.js", "world.js", "gateway.js", "sealing.js", "false-listings.js", "false-words.js", "play.js",
)
MODULES = sorted(path.name for path in (HERE / "unit").glob("*.js") if path.name not in SHARED)
RUN = """async (modules) => {
    for (const name of modules) await import(`/Tests/Interop/WebPage/unit/${name}`)
    return (await import('/Tests/Interop/WebPage/unit/harness.js')).run()
}"""


class Files(http.server.SimpleHTTPRequestHandler):
    """The page's modules as the door has them, the tests, and the corpora."""

    extensions_map = {".js": "text/javascript", ".json": "application/json", "": "text/html"}

    def translate_path(self, path: str) -> str:
        first = path.split("/")[1]
        if first == "corpora":
            return str(Path(VECTORS or "/nonexistent") / path[9:])
        return str((ROOT / "Sources/WebPage" if first in ("client", "crypto") else ROOT) / path[1:])

    def log_message(self, *_: object) -> None:
        pass


class Units(unittest.TestCase):
    def test_all_modules_pass_in_each_browser(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for name in NAMES:
            with (
                self.subTest(name),
                tempfile.TemporaryDirectory() as directory,
                BROWSERS[name](Path(directory)) as running,
            ):
                tab = running.person()
                tab.open(f"http://127.0.0.1:{server.server_port}/Tests/Interop/WebPage/unit/harness.js")
                outcome = tab.evaluate(RUN, MODULES, limit=600)
                print(f"{name}: {outcome['passed']} passed, {len(outcome['skipped'])} skipped {outcome['skipped']}")
                self.assertEqual(outcome["failed"], [])
                self.assertGreater(outcome["passed"], 20)
                if VECTORS:
                    self.assertEqual(outcome["skipped"], [])


if __name__ == "__main__":
    unittest.main()
