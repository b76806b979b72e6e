"""Questions' conditions and answers as plain structs: the asker needs no database."""
