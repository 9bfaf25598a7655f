"""One person's tab: what they see, and what they do with keys and pointer."""

import base64
import contextlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bidi import LIMIT, BiDiError

if TYPE_CHECKING:
    from browsers import Browser

KEYS = {
    "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Shift": "\ue008", "ArrowUp": "\ue013", "ArrowDown": "\ue015",
    "Backspace": "\ue003", "Control": "\ue009", "Home": "\ue011", "End": "\ue010",
}  # fmt: skip
# The first visible element of a selector, which may end in «=text»: then it is the innermost with that text or label.
FIND = """
(selector) => {
    const [css, wanted] = selector.split("=text:");
    const seen = element => element.getClientRects().length > 0;
    const name = element => (element.getAttribute("aria-label") || element.innerText || "").trim();
    const all = [...document.querySelectorAll(css || "*")].filter(seen);
    if (wanted === undefined) return all[0];
    const found = all.filter(element => name(element) === wanted);
    const near = found.length ? found : all.filter(element => name(element).includes(wanted));
    return near[near.length - 1];
}
"""
PLACE = """(selector) => {
    const element = find(selector);
    if (!element || element.disabled) return null;
    element.scrollIntoView({block: "nearest"});
    const box = element.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const top = document.elementFromPoint(x, y);
    return top && (element.contains(top) || top.contains(element)) ? [x, y] : null;
}"""


class Tab:
    """Made by `Browser.person`."""

    def __init__(self, browser: "Browser", user_context: str) -> None:
        self._connection = browser.connection
        self._browser = browser
        self.user_context = user_context
        self.id = self._connection.send("browsingContext.create", type="tab", userContext=user_context)["context"]

    # What they do.

    def open(self, url: str, wait: str = "complete") -> None:
        self._connection.send("browsingContext.navigate", context=self.id, url=url, wait=wait)

    def reload(self) -> None:
        self._connection.send("browsingContext.reload", context=self.id, wait="complete")

    def close(self) -> None:
        self._connection.send("browsingContext.close", context=self.id)

    def front(self) -> None:
        self._connection.send("browsingContext.activate", context=self.id)

    def resize(self, width: int, height: int) -> None:
        self._connection.send(
            "browsingContext.setViewport", context=self.id, viewport={"width": width, "height": height}
        )

    def click(self, selector: str) -> None:
        """With the pointer, in the middle of the first such element, once it is there and stays in its place."""
        before = None
        while before != (place := self.until(f"{selector} to click on", PLACE, selector)):
            before = place
            time.sleep(0.05)
        x, y = place
        actions = [
            {"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]  # fmt: skip
        self._act({"type": "pointer", "id": "mouse", "actions": actions})

    def fill(self, selector: str, text: str) -> None:
        self.until(f"{selector} to fill", "selector => { const e = find(selector); e?.focus(); return !!e; }", selector)
        self.evaluate("() => document.activeElement.select?.()")
        self.type(text)

    def type(self, text: str) -> None:
        """Into whatever has the focus."""
        self._keys([(kind, character) for character in text for kind in ("keyDown", "keyUp")])

    def press(self, *names: str) -> None:
        """All at once, as in `press("Shift", "Enter")`."""
        keys = [KEYS.get(name, name) for name in names]
        self._keys([("keyDown", key) for key in keys] + [("keyUp", key) for key in reversed(keys)])

    def _keys(self, strokes: list[tuple[str, str]]) -> None:
        self._act({"type": "key", "id": "keys", "actions": [{"type": kind, "value": key} for kind, key in strokes]})

    def _act(self, source: dict[str, Any]) -> None:
        self._connection.send("input.performActions", context=self.id, actions=[source])

    def choose_files(self, selector: str, *paths: Path) -> None:
        element = self._call(f"selector => ({FIND})(selector) ?? document.querySelector(selector)", [selector], raw=True)
        self._connection.send(
            "input.setFiles", context=self.id, element={"sharedId": element["sharedId"]},
            files=[str(path) for path in paths],
        )  # fmt: skip

    # What they see.

    def evaluate(self, function: str, *arguments: Any, limit: float = LIMIT) -> Any:
        """The result of a function of the page, which may be a promise, by way of JSON."""
        script = f"async (...a) => {{ const find = {FIND}; return JSON.stringify(await ({function})(...a) ?? null); }}"
        return json.loads(self._call(script, list(arguments), limit=limit)["value"])

    def _call(self, script: str, arguments: list[Any], raw: bool = False, limit: float = LIMIT) -> Any:
        answer = self._connection.send(
            "script.callFunction", limit=limit, functionDeclaration=script, awaitPromise=True,
            target={"context": self.id}, arguments=[{"type": "string", "value": json.dumps(each)} for each in arguments]
            if not raw else [{"type": "string", "value": each} for each in arguments],
        ) if raw else self._connection.send(
            "script.callFunction", limit=limit, awaitPromise=True, target={"context": self.id},
            functionDeclaration=f"(...texts) => ({script})(...texts.map(text => JSON.parse(text)))",
            arguments=[{"type": "string", "value": json.dumps(each)} for each in arguments],
        )  # fmt: skip
        if answer["type"] != "success":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return answer["result"]

    def until(self, what: str, function: str, *arguments: Any, limit: float = LIMIT) -> Any:
        """Waits until the function returns something true."""
        end = time.monotonic() + limit
        while True:
            # There is nothing to ask while another page comes.
            with contextlib.suppress(BiDiError):
                if found := self.evaluate(function, *arguments):
                    return found
            if time.monotonic() > end:
                raise AssertionError(f"there is no {what}; the page says:\n{self.text()[:1500]}")
            time.sleep(0.03)

    def sees(self, text: str, selector: str = "body", limit: float = LIMIT) -> None:
        self.until(
            f"«{text}»",
            """(text, selector) => [...document.querySelectorAll(selector)].some(element =>
                element.getClientRects().length > 0 && element.innerText.includes(text))""",
            text, selector, limit=limit,
        )  # fmt: skip

    def sees_no(self, text: str, selector: str = "body", limit: float = LIMIT) -> None:
        self.until(
            f"end of «{text}»",
            """(text, selector) => ![...document.querySelectorAll(selector)].some(element =>
                element.getClientRects().length > 0 && element.innerText.includes(text))""",
            text, selector, limit=limit,
        )  # fmt: skip

    def text(self) -> str:
        return self.evaluate("() => document.body.innerText")

    def shot(self, path: Path) -> None:
        answer = self._connection.send("browsingContext.captureScreenshot", context=self.id)
        path.write_bytes(base64.b64decode(answer["data"]))

    def axe(self, source: str) -> list[str]:
        """What axe finds. BiDi evaluates its source itself, so that no policy of the page is asked."""
        self._connection.send(
            "script.evaluate", expression=source + "\n;true", awaitPromise=False, target={"context": self.id}
        )
        return self.evaluate(
            """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.map(violation =>
                `${violation.id}: ${violation.help}: ${violation.nodes.map(node => node.html.slice(0, 200) + " " +
                (node.any[0]?.message ?? "")).slice(0, 3).join(" ")}`)""",
        )
