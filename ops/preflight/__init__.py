"""`trn preflight`: what of an account would stop a team's deployment or its jobs. One module per check."""
