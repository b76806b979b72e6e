"""Operations of the spot market."""
