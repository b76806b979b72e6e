"""The rows under `/_venue/`."""
