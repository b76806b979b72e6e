"""Commands on runs, on the files of a stopped venue, and rehearsals."""
