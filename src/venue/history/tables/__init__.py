"""Every table of history as a struct, and conditions of questions: who asks needs no database."""
