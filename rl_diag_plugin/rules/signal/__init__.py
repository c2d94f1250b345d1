"""Learning signal: groups, advantages, filtering."""
