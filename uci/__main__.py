"""``python -m uci`` is the ``pythagoras`` command."""

import sys

from uci.cli.command import main

sys.exit(main())
