"""Looks for a text in files, memory and core dumps, in every form in which it could have been left there."""

import base64
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

# In bytes: files are read so much at a time.
CHUNK = 1 << 24


class Forms:
    """What a text looks like in bytes, in each form in which it could have been left."""

    def __init__(self, text: str) -> None:
        raw = text.encode()
        self.text = text
        self.patterns = {"UTF-8": raw, "hex": raw.hex().encode(), "HEX": raw.hex().upper().encode()}
        for before in range(3):
            # Without the characters in which the bytes before it and after it have a part.
            encoded = base64.b64encode(bytes(before) + raw)
            self.patterns[f"base64 {before}"] = encoded[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]

    def found(self, chunks: Iterator[bytes]) -> set[str]:
        """The forms that occur, also across the borders of chunks that follow each other."""
        overlap = max(map(len, self.patterns.values())) - 1
        forms, kept = set(), b""
        for chunk in chunks:
            kept += chunk
            forms |= {form for form, pattern in self.patterns.items() if pattern in kept}
            kept = kept[-overlap:]
        return forms


class Place:
    """Somewhere to look."""

    def __init__(self, name: str, size: int, forms_of_marker: set[str], forms_of_control: set[str]) -> None:
        self.name, self.size = name, size
        self.marker, self.control = forms_of_marker, forms_of_control


def search_file(path: Path, name: str, marker: Forms, control: Forms) -> Place:
    def chunks() -> Iterator[bytes]:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk

    return Place(name, path.stat().st_size, marker.found(chunks()), control.found(chunks()))


def search_memory(process: int, name: str, marker: Forms, control: Forms) -> Place:
    """All memory that the process can read itself: what a core dump holds, and what is kept out of one."""
    found: tuple[set[str], set[str]] = (set(), set())
    size = 0
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in maps:
            bounds, rights = line.split()[:2]
            if not rights.startswith("r") or line.rstrip().endswith(("[vvar]", "[vvar_vclock]", "[vsyscall]")):
                continue
            start, end = (int(bound, 16) for bound in bounds.split("-"))
            try:
                memory.seek(start)
                region = memory.read(end - start)
            except OSError:
                continue  # it has gone since
            size += len(region)
            for forms, seen in zip((marker, control), found, strict=True):
                seen |= forms.found(iter([region]))
    return Place(name, size, *found)


def search_core(process: int, name: str, marker: Forms, control: Forms) -> Place:
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["gcore", "-o", f"{directory}/core", str(process)], check=True, capture_output=True)
        (core,) = Path(directory).iterdir()
        return search_file(core, name, marker, control)
