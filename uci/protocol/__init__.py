"""The UCI protocol: commands, messages, options."""
