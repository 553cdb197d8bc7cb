"""``python -m uci`` is the ``pythagoras`` command."""

import sys

try:
    from uci.cli.main import main
except KeyboardInterrupt:  # after this import, `main` handles Ctrl-C
    sys.exit(130)

sys.exit(main())
