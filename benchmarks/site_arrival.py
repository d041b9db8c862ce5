"""A page of a site, asked of a plain file server by a browser that holds nothing: its first picture and live figure."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from report_from_disk import IN_VIEW, PICTURE
from serving.chromium import chromium, fresh_page, watching_for

from goldviz.declare.registry import laboratories
from goldviz.site import build
from goldviz.site.figures import preset_page


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--visits", type=int, default=5)
    names = ["depth-gradients", "gold-forecast", "char-gpt", "jacobian-lens"]
    parser.add_argument("laboratories", nargs="*", default=names)
    arguments = parser.parse_args()
    labs = {name: laboratories()[name] for name in arguments.laboratories}
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name) / "site"
        build.build(folder, lambda: [partial(preset_page, lab, lab.declared.presets[0]) for lab in labs.values()])
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for page_file in sorted(folder.rglob("*.html")):
            way = page_file.relative_to(folder).as_posix()
            if not any(lab in way for lab in labs):
                continue
            seen: list[tuple[float, float]] = []
            for _ in range(arguments.visits):
                with fresh_page(browser, before=watching_for(figures=IN_VIEW, picture=PICTURE)) as page:
                    page.goto(f"http://127.0.0.1:{server.server_port}/{way}")
                    while not (live := page.evaluate("window.paintedAt.figures")):
                        page.wait_for_timeout(100)
                    seen.append((page.evaluate("window.paintedAt.picture"), live))
            picture, live = (statistics.median(times) for times in zip(*seen, strict=True))
            print(f"{way:<50} first picture {picture:.0f} ms, all figures in view live {live:.0f} ms")
        server.shutdown()


if __name__ == "__main__":
    main()
