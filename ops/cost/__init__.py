"""`trn cost`: what a team's resources cost per hour, as far as they run now."""
