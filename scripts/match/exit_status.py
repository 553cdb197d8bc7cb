"""The exit statuses of matches and measurements."""

REJECTED = 1
"""A sequential test found no gain."""

DEFECT = 1
"""Our engine crashed, lost on time, or failed a check."""

ERROR = 2
"""The work could not be done; a line gives the reason."""

CAPPED = 3
"""A sequential test ran out of games."""

INTERRUPTED = 130
"""Ctrl-C, or a signal to terminate."""

OF_VERDICT = {"accepted": 0, "rejected": REJECTED, "capped": CAPPED}
