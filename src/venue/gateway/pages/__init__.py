"""The pages of a venue: their files, the browsers that may use them, and what they are told."""
