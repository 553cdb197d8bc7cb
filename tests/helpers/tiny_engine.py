"""An engine that compiles in a moment."""

import shutil
from pathlib import Path

# An engine of one kernel, on the real cache and the real decorator, that prints what it compiled.
TINY = """
import json, os, time
from engine.jit import kernel

@kernel.entry("int64")
def triple(x):
    return x * 3

told = []
if "CPU" in os.environ:
    from llvmlite import binding
    from numba.core.codegen import JITCPUCodegen
    binding.get_host_cpu_name = JITCPUCodegen._get_host_cpu_name = lambda *_: os.environ["CPU"]

def progress(done, total, name):
    told.append(name)
    if "STALL" in os.environ:
        print("compiling", flush=True)
        time.sleep(600)

kernel.warm(progress)
stats = triple.stats
print(json.dumps({
    "folder": str(kernel.PLAY.folder),
    "compiled": sum(stats.cache_misses.values()),
    "loaded": sum(stats.cache_hits.values()),
    "answer": int(triple(14)),
    "told": told,
}))
"""


def tiny_engine(root: Path, to: Path, comment: str = "") -> Path:
    """Make a small engine in ``to``, of our modules and the code `TINY`; return ``to``."""
    engine = to / "engine"
    shutil.copytree(root / "engine" / "jit", engine / "jit")
    for name in ("__init__.py", "cores.py", "file_lock.py", "user_folders.py"):
        shutil.copy(root / "engine" / name, engine)
    (engine / "tiny.py").write_text(f"# {comment}\n{TINY}")
    return to
