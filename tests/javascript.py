"""Node.js for tests of the page's scripts: the one that drives the browser in the tests."""

import subprocess
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

FOLDER = Path(__file__).parent / "js"


def node(*arguments: str | Path) -> str:
    """Run Node.js and return what it printed; fails with its complaints."""
    driver = compute_driver_executable()
    program = driver[0] if isinstance(driver, tuple) else driver
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
