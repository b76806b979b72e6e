"""`venue mcp`: a venue as the tools of a program that speaks the Model Context Protocol."""
