"""``python -m uci`` is the ``pythagoras`` command."""

import sys

from uci.cli import main

sys.exit(main())
