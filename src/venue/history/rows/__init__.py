"""Questions' conditions and answers as plain structs: whoever asks needs no database."""
