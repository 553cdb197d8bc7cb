"""``python -m uci`` is the ``pythagoras`` command."""

import sys

try:
    from uci.cli.parser import main
except KeyboardInterrupt:  # later ones are for the command
    sys.exit(130)

sys.exit(main())
