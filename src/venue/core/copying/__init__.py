"""Copy trading: leads, followers, and what the one's fills mean for the other (rule 9.4)."""
