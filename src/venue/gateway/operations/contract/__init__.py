"""Operations of the contract market."""
