"""Copy trading: leads, followers, and the copies that followers make of leads' fills (rule 9.4)."""
