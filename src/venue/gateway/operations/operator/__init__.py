"""Operations under `/_venue/`."""
