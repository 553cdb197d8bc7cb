"""Help that fits a screen: the usage in a line, a row for each argument, an example."""

import argparse
from typing import Any


class TaskParser(argparse.ArgumentParser):
    """A parser of a task. Its help lists all arguments without headings, and not itself."""

    def __init__(self, names: int = 26, **words: Any) -> None:
        """Take the ``words`` of `argparse.ArgumentParser`; ``epilog`` is an example.

        The ``names`` of arguments have so many columns; longer ones a line of their own.
        """
        super().__init__(**words, add_help=False)
        self._names = names
        self.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)

    def format_usage(self) -> str:
        """Return the usage: options are one word, since each has a row of the help."""
        return self._with_usage().format_help()

    def format_help(self) -> str:
        """Return the help."""
        help_page = self._with_usage()
        help_page.add_text(self.description)
        help_page.start_section(None)
        help_page.add_arguments(self._actions)
        help_page.end_section()
        help_page.add_text(self.epilog)
        return help_page.format_help()

    def _with_usage(self) -> argparse.HelpFormatter:
        """Return a page that begins with the usage."""
        options = [action for action in self._actions if action.option_strings]
        others = [action for action in self._actions if not action.option_strings]
        prog = f"{self.prog} [OPTION ...]" if len(options) > 1 else self.prog
        help_page = argparse.HelpFormatter(prog, max_help_position=self._names)
        help_page.add_usage(None, others, ())
        return help_page
