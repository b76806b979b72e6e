"""From a whole request to its answer: the table's rows, the checks, the handler."""
