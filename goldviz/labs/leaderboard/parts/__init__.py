"""Parts of the page of *How a leaderboard fools*."""
