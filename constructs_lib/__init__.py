"""AWS constructs, one idea per file. They know hardware, names and versions, never a team file."""
